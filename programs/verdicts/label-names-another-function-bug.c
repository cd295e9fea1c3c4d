// A call of `harmless` is a call of `three`, for the linker.
void reach_error(void);
int harmless(void) __asm__("three");
int three(void)
{
    return 3;
}
int main(void)
{
    if (harmless() == 3)
        reach_error();
    return 0;
}
