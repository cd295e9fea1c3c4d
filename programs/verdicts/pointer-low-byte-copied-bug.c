/* The low byte of one pointer and the others of another one make a third. */
extern void reach_error(void);
void *memcpy(void *, const void *, unsigned long);

static int cells[128] __attribute__((aligned(512)));

int main(void)
{
    int *p = &cells[0], *q = &cells[65];
    memcpy(&p, &q, 1);
    cells[1] = 1;
    *p = 7;
    if (cells[1] != 1)
        reach_error();
    return 0;
}
