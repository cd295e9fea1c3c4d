// Functions by other names: alias, weak definition, label for the linker.
void reach_error(void);
static int one(void)
{
    return 1;
}
int also_one(void) __attribute__((alias("one")));
__attribute__((weak)) int two(void)
{
    return 2;
}
int called_three(void) __asm__("three");
int three(void)
{
    return 3;
}
int renamed(int) __asm__("really_named_so");
int renamed(int x)
{
    return x + 1;
}
int really_named_so(int);

int main(void)
{
    if (also_one() != 1)
        reach_error();
    if (two() != 2)
        reach_error();
    if (called_three() != 3)
        reach_error();
    if (really_named_so(4) != 5 || renamed(1) != 2)
        reach_error();
    return 0;
}
