/* An integer that shared its place with a pointer is an integer. */
extern void reach_error(void);

union shared {
    int *p;
    unsigned n;
};

int main(void)
{
    int x[4] = {1, 1, 1, 1};
    union shared u;
    u.p = &x[3];
    u.n = 8;
    int *p = (int *)((unsigned)&x[3] - u.n);
    *p = 2;
#ifdef BUG
    if (x[1] != 1)
#else
    if (x[1] != 2 || x[3] != 1)
#endif
        reach_error();
    return 0;
}
