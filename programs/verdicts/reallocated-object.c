// An object keeps its contents when realloc moves it, or leaves it where it is.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void *realloc(void *, unsigned long);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int *p = malloc(8), *q = p;
    p[0] = n;
    p[1] = n + 1;
    p = realloc(p, 16);
    if (p != q)
        p[1] = n + 1;
#ifdef BUG
    if (p[0] != n || p[1] != n)
#else
    if (p[0] != n || p[1] != n + 1)
#endif
        reach_error();
    return 0;
}
