// Bounded sum bug.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 12)
        return 0;
    int s = 0;
    for (int i = 1; i < n; i++)
        s += i;
    CHECK(2 * s == n * (n + 1));
    return 0;
}
