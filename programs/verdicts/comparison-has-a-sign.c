/* C fixes the sign of what `strcmp` returns, and whether `isalpha` returns zero. */
void reach_error(void);
int strcmp(const char *, const char *);
int isalpha(int);

int main(void)
{
    if (strcmp("a", "c") >= 0 || strcmp("a", "a") != 0 || !isalpha('q') || isalpha('1'))
        reach_error();
    return 0;
}
