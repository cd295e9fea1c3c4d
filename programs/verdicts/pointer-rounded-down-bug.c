/* Division rounds an address down to where its object begins. */
extern void reach_error(void);

_Alignas(16) int x[4] = {1, 1, 1, 1};

int main(void)
{
    unsigned at = (unsigned)&x[2];
    int *p = (int *)(at / 16 * 16);
    *p = 2;
    if (x[0] != 1)
        reach_error();
    return 0;
}
