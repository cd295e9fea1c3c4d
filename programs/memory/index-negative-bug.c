/* An index of which only the upper bound is tested. */
int __VERIFIER_nondet_int(void);
int a[8];
int main(void)
{
    int i = __VERIFIER_nondet_int();
    if (i < 8)
        return a[i];
    return 0;
}
