/* How far objects lie apart is asked of a number. */
extern void reach_error(void);
extern unsigned long __VERIFIER_nondet_ulong(void);

static int x, y;

int main(void)
{
    unsigned long n = __VERIFIER_nondet_ulong();
    if ((n & 0xfff) == 0x10 && (unsigned long)&x + n == (unsigned long)&y)
        reach_error();
    return 0;
}
