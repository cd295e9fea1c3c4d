// The search gives up at a bound, whatever the cells hold.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int cells[1024], at;
    for (at = 0; at < 1024; at++)
        cells[at] = __VERIFIER_nondet_int();
    for (at = 0; at < 1024 && cells[at] != 0; at++)
        ;
    if (at > 1024)
        reach_error();
    return 0;
}
