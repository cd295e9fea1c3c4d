// The length is not known; the formula of it is.
void reach_error(void);
unsigned int __VERIFIER_nondet_uint(void);
int main(void)
{
    unsigned int n = __VERIFIER_nondet_uint() / 8 + 1;
    int a[n];
    a[n / 2] = 3;
    if (a[n / 2] != 3)
        reach_error();
    return 0;
}
