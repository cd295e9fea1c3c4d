/* What a table holds is no address, but its indices are. */
extern void reach_error(void);

static const unsigned char same[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

int main(void)
{
    int x = 1;
    unsigned from = (unsigned)&x, to = 0;
    for (unsigned i = 0; i < 32; i += 4)
        to |= (unsigned)same[from >> i & 15] << i;
    *(int *)to = 2;
    if (x != 1)
        reach_error();
    return 0;
}
