// Array index bug.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
int main(void)
{
    int a[8] = { 0 };
    unsigned i = __VERIFIER_nondet_uint();
    __VERIFIER_assume(i < 8);
    a[i] = 1;
    CHECK(a[5] == 0);
    return 0;
}
