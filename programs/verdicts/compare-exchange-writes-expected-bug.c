// A comparison that fails stores what it found.
void reach_error(void);
int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = 4, expected = __VERIFIER_nondet_int();
    int before = expected;
    __atomic_compare_exchange_n(&x, &expected, 5, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (expected != before)
        reach_error();
    return 0;
}
