// The last cell was not looked at.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
int a[50000];
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 50000)
        return 0;
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    int greatest = a[0];
    for (int i = 1; i < n - 1; i++)
        if (a[i] > greatest)
            greatest = a[i];
    for (int i = 0; i < n; i++)
        CHECK(a[i] <= greatest);
    return 0;
}
