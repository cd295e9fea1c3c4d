/* Whether a sum wraps around depends on where the object lies. */
extern void reach_error(void);

int main(void)
{
    int x;
    unsigned long a = (unsigned long)&x;
    if (a + 0xffff801000000000ul < a)
        reach_error();
    return 0;
}
