// Nothing is known of uninterpreted functions, so the violation may be none.
int __CPROVER_uninterpreted_f(int);
int main(void)
{
    __CPROVER_assert(__CPROVER_uninterpreted_f(1) == __CPROVER_uninterpreted_f(1), "the same");
    return 0;
}
