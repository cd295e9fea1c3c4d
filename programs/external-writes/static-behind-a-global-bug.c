/* A pointer that others can name leads to an array that they cannot. */
void reach_error(void);
void step(void);
static int cells[3];
int *second = &cells[1];

int main(void)
{
    cells[2] = 1;
    step();
    if (cells[2] != 1)
        reach_error();
    return 0;
}
