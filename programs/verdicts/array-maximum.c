// Array maximum.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int a[6], m;
    for (int i = 0; i < 6; i++)
        a[i] = __VERIFIER_nondet_int();
    m = a[0];
    for (int i = 1; i < 6; i++)
        if (a[i] > m)
            m = a[i];
    for (int i = 0; i < 6; i++)
        CHECK(a[i] <= m);
    return 0;
}
