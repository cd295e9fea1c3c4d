/* The sign of an address that is moved says where it was. */
extern void reach_error(void);

int main(void)
{
    int x = 1;
    unsigned rest = (unsigned)&x, to = 0;
    if ((int)rest < 0) {
        rest -= 0x80000000u;
        to = 0x80000000u;
    }
    for (unsigned bit = 0x40000000u; bit; bit >>= 1)
        if ((int)(rest - bit) >= 0) {
            rest -= bit;
            to |= bit;
        }
    *(int *)to = 2;
    if (x != 1)
        reach_error();
    return 0;
}
