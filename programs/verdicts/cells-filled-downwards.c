// Filled from above, on the heap, and read anywhere.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 50000)
        return 0;
    int *a = malloc(n * sizeof(int));
#ifdef BUG
    for (int i = n - 1; i >= 1; i--)
#else
    for (int i = n - 1; i >= 0; i--)
#endif
        a[i] = 42;
    unsigned at = __VERIFIER_nondet_uint();
    if (at < (unsigned)n)
        CHECK(a[at] == 42);
    return 0;
}
