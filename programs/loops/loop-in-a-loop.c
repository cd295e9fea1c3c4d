// The inner loop begins anew each time; the bound of the outer one is what it ends with.
extern void reach_error(void);

int main(void)
{
    unsigned int row = 0, column = 0;
    while (row < 1000000) {
        column = 0;
        while (column < 1000000)
            column++;
        row++;
    }
    if (row != 1000000 || column != 1000000)
        reach_error();
    return 0;
}
