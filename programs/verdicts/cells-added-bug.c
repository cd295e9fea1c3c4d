// Each cell gets the first one of the other array.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
int a[50000], c[50000];
void add(int *to, int *x, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = x[0] + 3;
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
