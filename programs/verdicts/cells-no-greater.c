// No cell is greater than the greatest.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);
int a[50000];
int main(void)
{
    int n = __VERIFIER_nondet_int(), i = 0;
    if (n < 1 || n > 50000)
        return 0;
    do {
        a[i] = __VERIFIER_nondet_int();
    } while (++i < n);
    int greatest = a[0];
#ifdef BUG
    for (int i = 1; i < n - 1; i++)
#else
    for (int i = 1; i < n; i++)
#endif
        if (a[i] > greatest)
            greatest = a[i];
    for (int i = 0; i < n; i++)
        CHECK(a[i] <= greatest);
    return 0;
}
