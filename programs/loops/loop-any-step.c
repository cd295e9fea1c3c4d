// However long the steps are, there are no more of them than the bound: each is one at least.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int way = 0, steps = 0;
    while (way < 1000000) {
        int step = __VERIFIER_nondet_int();
        if (step < 1 || step >= 1000000)
            return 0;
        way = way + step;
        steps++;
    }
    if (steps > 1000000)
        reach_error();
    return 0;
}
