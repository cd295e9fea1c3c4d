// Recursion bounded.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int f(int n)
{
    return n <= 0 ? 0 : 1 + f(n - 1);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n <= 6);
    CHECK(f(n) == n);
    return 0;
}
