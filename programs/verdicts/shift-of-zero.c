// Zero shifted within its width stays zero.
int __VERIFIER_nondet_int(void);
int main(void)
{
    int count = __VERIFIER_nondet_int();
    if (count < 0 || count > 31)
        return 0;
    return 0 << count;
}
