// The names that ESBMC knows.
int nondet_int(void);
int main(void)
{
    int x = nondet_int();
    __ESBMC_assume(x > 0);
    __ESBMC_assert(x > 1, "more than one");
    return 0;
}
