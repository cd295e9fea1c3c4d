// The result is exact first; then it fits the type of the third argument or not.
void reach_error(void);
static void check(int condition)
{
    if (!condition)
        reach_error();
}
int main(void)
{
    int i;
    unsigned u;
    long l;
    unsigned long ul;
    signed char c;
    unsigned char uc;
    int big = 2147483647, minus = -1, min = -2147483647 - 1;
    unsigned all = 4294967295u;
    long lmin = -9223372036854775807L - 1;
    unsigned long umax = 18446744073709551615UL;
    // A wider result holds what overflows the operands' type.
    check(!__builtin_add_overflow(big, 1, &l) && l == 2147483648L);
    check(!__builtin_mul_overflow(big, big, &l) && l == 4611686014132420609L);
    check(!__builtin_sub_overflow(min, 1, &l) && l == -2147483649L);
    check(__builtin_add_overflow(big, 1, &i) && i == min);
    // Signs.
    check(!__builtin_add_overflow(minus, all, &u) && u == 4294967294u);
    check(__builtin_add_overflow(minus, 0u, &u) && u == 4294967295u);
    check(__builtin_sub_overflow(0u, 1u, &u) && u == 4294967295u);
    check(!__builtin_sub_overflow(0u, 1u, &i) && i == -1);
    check(!__builtin_sub_overflow(1u, 2u, &c) && c == -1);
    check(__builtin_mul_overflow(minus, 1u, &ul) && ul == umax);
    check(!__builtin_mul_overflow(minus, all, &l) && l == -4294967295L);
    check(__builtin_mul_overflow(umax, umax, &ul) && ul == 1);
    check(__builtin_mul_overflow(lmin, umax, &l) && l == lmin);
    check(!__builtin_mul_overflow(lmin, 1u, &l) && l == lmin);
    check(!__builtin_add_overflow(umax, lmin, &l) && l == 9223372036854775807L);
    check(__builtin_add_overflow(umax, 1, &l) && l == 0);
    // Narrow results.
    check(__builtin_add_overflow(100, 28, &c) && c == -128);
    check(!__builtin_add_overflow(200, 55, &uc) && uc == 255);
    check(__builtin_sub_overflow((unsigned char)1, (unsigned char)2, &uc) && uc == 255);
    // Typed ones, and predicates.
    check(__builtin_sadd_overflow(big, 1, &i) && i == min);
    check(!__builtin_saddl_overflow(big, 1, &l) && l == 2147483648L);
    check(__builtin_umul_overflow(all, 2u, &u) && u == 4294967294u);
    check(__builtin_usubl_overflow(1, 2, &ul) && ul == umax);
    check(__builtin_add_overflow_p(big, 1, 0) && !__builtin_add_overflow_p(big, 1, 0L));
    check(__builtin_mul_overflow_p(16, 16, (unsigned char)0));
    check(!__builtin_sub_overflow_p(1u, 2u, (short)0));
    return 0;
}
