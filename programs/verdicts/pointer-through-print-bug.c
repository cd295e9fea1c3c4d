/* The number of characters printed is that of a pointer's byte. */
extern void reach_error(void);
extern int printf(const char *, ...);

union word {
    int *p;
    unsigned char bytes[4];
};

int main(void)
{
    int x = 1;
    union word from, to;
    from.p = &x;
    for (int i = 0; i < 4; i++)
        to.bytes[i] = printf("%.*d", from.bytes[i], 0);
    *to.p = 2;
    if (x != 1)
        reach_error();
    return 0;
}
