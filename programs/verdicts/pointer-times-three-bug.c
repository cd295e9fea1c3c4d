/* A product and its quotient give an address back. */
extern void reach_error(void);

int main(void)
{
    int x = 1;
    unsigned long long product = (unsigned long long)(unsigned)&x * 3;
    int *p = (int *)(unsigned)(product / 3);
    *p = 2;
    if (x != 1)
        reach_error();
    return 0;
}
