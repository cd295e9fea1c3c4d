/* A function runs over a text of any length, up to the zero at its end. */
int __VERIFIER_nondet_int(void);
char __VERIFIER_nondet_char(void);

static unsigned long length(const char *s)
{
    const char *t = s;
    while (*t)
        t++;
    return t - s;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 10000)
        n = 1;
    char *p = __builtin_alloca(n);
    for (int i = 0; i < n - 1; i++)
        p[i] = __VERIFIER_nondet_char();
#ifdef BUG
    p[n - 1] = 'x';
#else
    p[n - 1] = 0;
#endif
    return (int)length(p);
}
