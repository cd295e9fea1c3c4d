// The second cell is left out: it is zero, and its index is not.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
int a[100000];
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100000)
        return 0;
    for (int i = 2; i < n; i++)
        a[i] = i;
    for (int i = 0; i < n; i++)
        CHECK(a[i] == i);
    return 0;
}
