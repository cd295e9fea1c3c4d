/* Which number makes null of an address depends on the address. */
extern void reach_error(void);
extern unsigned long __VERIFIER_nondet_ulong(void);

static int x;

int main(void)
{
    unsigned long n = __VERIFIER_nondet_ulong();
    if ((n & 0xfff) == 0x10 && (unsigned long)&x + n == 0)
        reach_error();
    return 0;
}
