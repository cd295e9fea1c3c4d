// Pointers into an array of a function that is called again, compared with its end.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static int sum(int n)
{
    int t[3];
    int *p, s = 0;
    for (p = t; p < t + 3; p++)
        *p = n;
    for (p = t; p != t + 3; p++)
        s += *p;
    return s;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100)
        return 0;
#ifdef BUG
    if (sum(n) + sum(1) != 3 * n + 6)
#else
    if (sum(n) + sum(1) != 3 * n + 3)
#endif
        reach_error();
    return 0;
}
