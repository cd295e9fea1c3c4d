// Which accesses survive tells how large an object is, and so the address that its size was.
void reach_error(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
void *malloc(unsigned long);
void *memset(void *, int, unsigned long);

int x;

int main(void)
{
    unsigned long n = __VERIFIER_nondet_ulong();
    if (n < 4096 || n > 100000000)
        return 0;
    char *q = malloc((unsigned long)&x), *r = malloc(n);
    memset(r, 0, (unsigned long)&x);
    memset(q, 0, n);
    x = 1;
    *(int *)n = 5;
    if (x != 1)
        reach_error();
    return 0;
}
