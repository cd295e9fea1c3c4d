/* Two functions that call each other tell whether a number is odd. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

#ifndef REST
#define REST n % 2
#endif

static int even(int n);

static int odd(int n)
{
    if (n == 0)
        return 0;
    if (n == 1)
        return 1;
    return even(n - 1);
}

static int even(int n)
{
    if (n == 0)
        return 1;
    if (n == 1)
        return 0;
    return odd(n - 1);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return 0;
    if (odd(n) != REST)
        reach_error();
    return 0;
}
