// A function walks to the end of whichever array it is given: both pointers come from its parameter.
void reach_error(void);

static void fill(char *p, unsigned long n)
{
    char *end = p + n;
    while (p < end)
        *p++ = 7;
}

int main(void)
{
    char a[4], b[4];
    fill(a, 4);
#ifdef BUG
    b[3] = 1;
    fill(b, 3);
#else
    fill(b, 4);
#endif
    if (a[0] != 7 || b[3] != 7)
        reach_error();
    return 0;
}
