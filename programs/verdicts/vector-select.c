/* The larger of two vectors, element by element, by a mask. */
extern void reach_error(void);
#define CHECK(c) ((c) ? (void)0 : reach_error())
extern int __VERIFIER_nondet_int(void);
typedef int v4 __attribute__((vector_size(16)));

static v4 larger(v4 a, v4 b)
{
    v4 mask = a > b;
    return (a & mask) | (b & ~mask);
}

int main(void)
{
    v4 a = { __VERIFIER_nondet_int(), 1, 2, 3 }, b = { __VERIFIER_nondet_int(), 3, 2, 1 };
    v4 c = larger(a, b);
#ifdef BUG
    CHECK(c[0] > a[0] || c[0] > b[0]);
#else
    CHECK(c[0] >= a[0] && c[0] >= b[0] && c[1] == 3 && c[2] == 2 && c[3] == 3);
#endif
    return 0;
}
