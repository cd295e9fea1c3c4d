/* A sum has its formula of degree two. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

#ifndef FIRST
#define FIRST 0
#endif

static unsigned sum(unsigned n)
{
    if (n == 0)
        return FIRST;
    return n + sum(n - 1);
}

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n > 100)
        return 0;
    if (2 * sum(n) != n * n + n)
        reach_error();
    return 0;
}
