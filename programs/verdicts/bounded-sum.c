// Bounded sum.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 12)
        return 0;
    int s = 0;
#ifdef BUG
    for (int i = 1; i < n; i++)
#else
    for (int i = 1; i <= n; i++)
#endif
        s += i;
    CHECK(2 * s == n * (n + 1));
    return 0;
}
