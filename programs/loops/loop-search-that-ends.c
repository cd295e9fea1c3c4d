// The search ends because of what was stored before it: a[size / 2] holds the value, and no index goes beyond.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);
extern void *malloc(unsigned int size);

static int search(int *a, unsigned int size, int wanted)
{
    unsigned int at = 0;
    while (at < size && a[at] != wanted)
        at++;
    return at < size;
}

int main(void)
{
    unsigned int size = __VERIFIER_nondet_uint();
    if (size <= 1 || size >= 100000)
        return 0;
    int *a = malloc(size * sizeof(int));
    a[size / 2] = 3;
    if (!search(a, size, 3))
        reach_error();
    return 0;
}
