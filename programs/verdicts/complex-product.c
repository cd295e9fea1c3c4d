/* The square of a complex number with integer parts has the parts of the formula. */
extern void reach_error(void);
#define CHECK(c) ((c) ? (void)0 : reach_error())
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 0 || a > 15 || b < 0 || b > 15)
        return 0;
    _Complex int z = a + b * 1i, square = z * z;
#ifdef BUG
    CHECK(__real__ square >= 0);
#else
    CHECK(__real__ square == a * a - b * b && __imag__ square == 2 * a * b);
#endif
    return 0;
}
