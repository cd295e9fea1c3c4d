// Aliasing.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);
void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), a = x, b = y;
    swap(&a, &b);
    CHECK(a == y && b == x);
    swap(&a, &a);
    CHECK(a == y);
    return 0;
}
