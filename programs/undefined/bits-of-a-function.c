/* The bits of a function's address are open. */
extern void reach_error(void);

static void f(void)
{
}

int main(void)
{
    if (((unsigned long)f & 0xfff) == 0x123)
        reach_error();
    return 0;
}
