// Zero may be shifted, but not by more places than it has.
int __VERIFIER_nondet_int(void);
int main(void)
{
    int count = __VERIFIER_nondet_int();
    return 0 << count;
}
