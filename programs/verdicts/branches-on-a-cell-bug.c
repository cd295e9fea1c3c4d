// Which way a branch goes depends on a cell behind a pointer: whoever found the violation, it can be executed.
extern void reach_error(void);
extern long __VERIFIER_nondet_long(void);

struct reading {
    long seconds;
    long fraction;
};

static void read_clock(long *cells)
{
    cells[0] = __VERIFIER_nondet_long();
    cells[1] = __VERIFIER_nondet_long();
    if (cells[1] < 0 || cells[1] > 999999)
        __builtin_unreachable();
}

int main(void)
{
    struct reading now = {0, 0};
    read_clock((long *)&now);
    long later = __VERIFIER_nondet_long();
    if (now.seconds == 5 && later == 6)
        reach_error();
    return 0;
}
