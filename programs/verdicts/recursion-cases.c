/* McCarthy's function gives 91 for all that is not above 101. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

#ifndef LAST
#define LAST 101
#endif

static int f(int x)
{
    if (x > 100)
        return x - 10;
    return f(f(x + 11));
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (f(x) != 91 && x <= LAST)
        reach_error();
    return 0;
}
