// The names that CBMC knows.
int nondet_int();
unsigned nondet_uint(void);
int main(void)
{
    int x = nondet_int();
    unsigned n = nondet_uint();
    __CPROVER_assume(x > 3 && n < 10u);
    __CPROVER_assert(x != 3 && n + 1 <= 10u, "within bounds");
    return 0;
}
