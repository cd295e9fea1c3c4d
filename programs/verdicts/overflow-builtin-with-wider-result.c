// The sum of two ints always fits a long.
void reach_error(void);
int __VERIFIER_nondet_int(void);
int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    long sum;
    if (__builtin_add_overflow(a, b, &sum))
        reach_error();
    if (sum != (long)a + b)
        reach_error();
    return 0;
}
