// The step is that of a function.
extern void reach_error(void);

static unsigned int step(unsigned int number)
{
    return number + 2;
}

int main(void)
{
    unsigned int number = 0;
    while (number < 0x0ffffff1)
        number = step(number);
    if (number % 2)
        reach_error();
    return 0;
}
