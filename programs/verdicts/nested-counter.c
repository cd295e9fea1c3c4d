/* A nested function counts in a variable of the function around it, called directly and through a pointer. */
extern void reach_error(void);
#define CHECK(c) ((c) ? (void)0 : reach_error())
extern int __VERIFIER_nondet_int(void);

static void each(int n, void (*visit)(int))
{
    for (int i = 0; i < n; i++)
        visit(i);
}

int main(void)
{
    int n = __VERIFIER_nondet_int(), count = 0, last = -1;
    void visit(int i)
    {
        count++;
        last = i;
    }
    if (n < 0 || n > 4)
        return 0;
    each(n, visit);
    visit(7);
#ifdef BUG
    CHECK(count <= n);
#else
    CHECK(count == n + 1 && last == 7);
#endif
    return 0;
}
