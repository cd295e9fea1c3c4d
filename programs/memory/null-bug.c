/* A pointer that may be null is followed. */
int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = 1, *p = __VERIFIER_nondet_int() ? &x : 0;
    *p = 2;
    return 0;
}
