/* A difference in more bits than an address has tells which sum wrapped around. */
extern void reach_error(void);

static int x = 1;

int main(void)
{
    unsigned a = (unsigned)&x, n = 0;
    for (unsigned bit = 1u << 31; bit; bit >>= 1) {
        unsigned long long apart = (unsigned long long)(a + (n | bit)) - a;
        if (apart >> 32 == 0)
            n |= bit;
    }
    *(int *)~n = 5;
    if (x != 1)
        reach_error();
    return 0;
}
