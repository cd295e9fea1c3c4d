/* An array of variable length. */
int __VERIFIER_nondet_int(void);
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100)
        return 0;
    int a[n];
#ifdef BUG
    a[n] = 1;
#else
    a[n - 1] = 1;
#endif
    return 0;
}
