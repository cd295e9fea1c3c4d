/* Two names of one variable: what is written under one is read under the other. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static int counter = 3;
extern int alias __attribute__((alias("counter")));

int main(void)
{
    int n = __VERIFIER_nondet_int();
    alias = n;
#ifdef BUG
    if (counter != 3)
#else
    if (counter != n || &alias != &counter)
#endif
        reach_error();
    return 0;
}
