// Every second step counts: 2 * counted - i is 0 or 1, and no equation between the two holds.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int counted = 0;
    int limit = __VERIFIER_nondet_int();
    if (limit < 0 || limit > 1000000)
        return 0;
    for (int i = 0; i < 2 * limit; i++) {
        if (i % 2 == 0)
            counted++;
    }
    if (counted != limit)
        reach_error();
    return 0;
}
