/* So may one in memory without a value, beside others that have one. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

static int x, y = 1;

int main(void)
{
    int *table[2];
    table[__VERIFIER_nondet_uint() & 1] = &x;
    int *p = table[0];
    if (!p) {
        unsigned long distance = (unsigned long)p - (unsigned long)&y;
        *(int *)-distance = 5;
        if (y != 1)
            reach_error();
    }
    return 0;
}
