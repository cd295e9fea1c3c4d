/* Which sums wrap around tells where an object lies. */
extern void reach_error(void);

static int x = 1;

int main(void)
{
    unsigned long a = (unsigned long)&x, n = 0;
    for (unsigned long bit = 1ul << 63; bit; bit >>= 1)
        if (a + (n | bit) >= a)
            n |= bit;
    *(int *)~n = 5;
    if (x != 1)
        reach_error();
    return 0;
}
