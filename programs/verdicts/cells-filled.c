// Every cell has its index; the length is not known.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);
#ifndef FIRST
#define FIRST 0
#endif
#ifndef VALUE
#define VALUE i
#endif
int a[100000];
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100000)
        return 0;
    for (int i = FIRST; i < n; i++)
        a[i] = VALUE;
    for (int i = 0; i < n; i++)
        CHECK(a[i] == i);
    return 0;
}
