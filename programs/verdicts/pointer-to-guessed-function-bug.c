// A number that was compared with the address of a function may be called as that function.
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void reach_error(void);

static void never_assigned(void)
{
    reach_error();
}

static void assigned(void)
{
}

int main(void)
{
    void (*pointer)(void) = assigned;
    unsigned long address = (unsigned long)never_assigned;
    unsigned long half = address & 0xffffffff;
    address = address >> 32 << 32 | half;
    pointer();
    pointer = (void (*)(void))address;
    pointer();
    return 0;
}
