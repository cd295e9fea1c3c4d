// CBMC's quantifiers, its implication, and questions about overflow.
#ifdef BUG
#define LAST 0
#else
#define LAST 4
#endif
int nondet_int();

int main(void)
{
    int a[5];
    for (int i = 0; i < 5; i++)
        a[i] = i;
    int x = nondet_int();
    __CPROVER_assume(x > 3 ==> x < 10);
    __CPROVER_assert(x <= 3 || x < 10, "implication");
    __CPROVER_assert(__CPROVER_forall { int i; (i >= 0 && i < 5) ==> a[i] <= LAST }, "all");
    __CPROVER_assert(__CPROVER_exists { __CPROVER_size_t i; i < sizeof a / sizeof *a && a[i] == 3 }, "some");
    __CPROVER_precondition(!__CPROVER_exists { int i; (0 <= i && 5 > i) && a[i] == 7 }, "none");
    __CPROVER_assert(__CPROVER_overflow_plus(2147483647, 1), "int");
    __CPROVER_assert(!__CPROVER_overflow_mult(2147483647u, 2u), "unsigned");
    __CPROVER_assert(__CPROVER_overflow_minus(1u, 2u), "below zero");
    return 0;
}
