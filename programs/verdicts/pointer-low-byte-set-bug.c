/* The low byte of a pointer is set: it points to another cell of the same object. */
extern void reach_error(void);

static int cells[128] __attribute__((aligned(512)));

int main(void)
{
    int *p = &cells[0];
    *(unsigned char *)&p = 4;
    cells[1] = 1;
    *p = 7;
    if (cells[1] != 1)
        reach_error();
    return 0;
}
