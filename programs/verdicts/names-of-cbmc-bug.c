// The assumption leaves the value that the assertion excludes.
int nondet_int();
int main(void)
{
    int x = nondet_int();
    __CPROVER_assume(x >= 3);
    __CPROVER_assert(x != 3, "never three");
    return 0;
}
