/* What an address is with another low byte is open. */
extern void reach_error(void);

static int x;

int main(void)
{
    int *p = &x;
    *(char *)&p = 4;
    if (p == &x)
        reach_error();
    return 0;
}
