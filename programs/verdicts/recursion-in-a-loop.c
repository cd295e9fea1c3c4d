/* A loop that keeps the largest result of a recursion. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

#ifndef LEAST
#define LEAST 0
#endif

static int at_most_nine(int n)
{
    if (n < 10)
        return n < LEAST ? LEAST : n;
    return at_most_nine(n - 10);
}

int main(void)
{
    int largest = 0;
    while (__VERIFIER_nondet_int()) {
        int n = at_most_nine(__VERIFIER_nondet_int());
        if (n < 0 || n > largest)
            largest = n;
    }
    if (largest < 0 || largest > 9)
        reach_error();
    return 0;
}
