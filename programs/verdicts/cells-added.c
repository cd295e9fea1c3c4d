// An array of inputs, copied and changed cell by cell by a function.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);
int a[50000], c[50000];
void add(int *to, int *x, int n)
{
    for (int i = 0; i < n; i++)
#ifdef BUG
        to[i] = x[0] + 3;
#else
        to[i] = x[i] + 3;
#endif
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 50000)
        return 0;
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    add(c, a, n);
    for (int i = 0; i < n; i++)
        CHECK(c[i] == a[i] + 3);
    return 0;
}
