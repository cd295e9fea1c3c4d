/* A number without a value may be an address, which is open. */
extern void reach_error(void);

static int x;

int main(void)
{
    unsigned long a;
    if ((a & 0xfff) == 0x10 && a == (unsigned long)&x)
        reach_error();
    return 0;
}
