// A product of 128 bits wraps around to the smallest number.
extern void reach_error(void);

int main(void)
{
    __int128 m = (__int128)1 << 126;
    int n = 0;
    while (m > 0) {
        m *= 2;
        n++;
    }
#ifdef BUG
    if (n == 1 || m >= 0)
#else
    if (n != 1 || m >= 0)
#endif
        reach_error();
    return 0;
}
