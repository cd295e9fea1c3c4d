// A negative difference does not fit an unsigned type.
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    long difference;
    unsigned long wide;
    if (__builtin_sub_overflow(a, b, &difference))
        return 0;
    if (__builtin_sub_overflow(a, b, &wide))
        reach_error();
    return 0;
}
