/* An index that is tested first. */
int __VERIFIER_nondet_int(void);
int a[8];
int main(void)
{
    int i = __VERIFIER_nondet_int();
    if (i >= 0 && i < 8)
        a[i] = 1;
    return 0;
}
