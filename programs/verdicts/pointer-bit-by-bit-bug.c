/* An address is rebuilt from what branches say about its bits. */
extern void reach_error(void);

int main(void)
{
    int x = 1;
    unsigned from = (unsigned)&x, to = 0;
    for (unsigned bit = 1; bit; bit <<= 1)
        if (from & bit)
            to |= bit;
    *(int *)to = 2;
    if (x != 1)
        reach_error();
    return 0;
}
