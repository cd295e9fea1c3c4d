// The violation depends on a quarter of a million inputs: its report is long.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned int sum = 0;
    for (int i = 0; i < 250000; i++)
        sum += (unsigned int)__VERIFIER_nondet_int() & 1;
    if (sum <= 250000)
        reach_error();
    return 0;
}
