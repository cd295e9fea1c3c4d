// What is read may be any number.
void reach_error(void);
int scanf(const char *format, ...);
int main(void)
{
    int number = 0;
    scanf("%d", &number);
    if (number == 42)
        reach_error();
    return 0;
}
