// In steps of two: the remainder is what the loop keeps.
extern void reach_error(void);

int main(void)
{
    unsigned int number = 0;
    while (number < 0x0ffffff1)
        number += 2;
    if (number % 2)
        reach_error();
    return 0;
}
