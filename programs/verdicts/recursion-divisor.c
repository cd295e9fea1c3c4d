/* What a function does not allow its callers is never passed, and its result is positive. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

#ifndef LEAST
#define LEAST 1
#endif

static int gcd(int a, int b)
{
    if (a <= 0 || b <= 0)
        reach_error();
    if (a == b)
        return a;
    if (a > b)
        return gcd(a - b, b);
    return gcd(a, b - a);
}

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < LEAST || b < LEAST)
        return 0;
    if (gcd(a, b) < 1)
        reach_error();
    return 0;
}
