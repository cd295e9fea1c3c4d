// Uninitialised array.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
int main(void)
{
    int a[3];
    a[0] = 1;
    unsigned i = __VERIFIER_nondet_uint();
    __VERIFIER_assume(i < 3);
    CHECK(a[i] != 123456);
    return 0;
}
