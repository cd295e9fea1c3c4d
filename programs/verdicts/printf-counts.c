/* The number of characters, unless it failed. */
void reach_error(void);
int printf(const char *, ...);

int main(void)
{
    int n = printf("%d %-4s%c\n", 12, "abc", 'x');
    if (n >= 0 && n != 9)
        reach_error();
    return 0;
}
