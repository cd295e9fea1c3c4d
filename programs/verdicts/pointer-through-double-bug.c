/* A double holds an address of 32 bits exactly. */
extern void reach_error(void);

int main(void)
{
    int x = 1;
    double d = (double)(unsigned)&x;
    int *p = (int *)(unsigned)d;
    *p = 2;
    if (x != 1)
        reach_error();
    return 0;
}
