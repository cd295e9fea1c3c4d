// A negative value must not be shifted to the left at all.
int __VERIFIER_nondet_int(void);
int main(void)
{
    int value = __VERIFIER_nondet_int();
    if (value > 0)
        return 0;
    return value << 0;
}
