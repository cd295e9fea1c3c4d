/* The result never exceeds the cap, however deep the recursion goes. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

#ifndef NOT_REACHED
#define NOT_REACHED 6
#endif

static unsigned depth(unsigned x)
{
    if (x == 0)
        return 0;
    unsigned d = depth(x - 1) + 1;
    if (d > 5)
        return 5;
    return d;
}

int main(void)
{
    if (depth(__VERIFIER_nondet_uint()) == NOT_REACHED)
        reach_error();
    return 0;
}
