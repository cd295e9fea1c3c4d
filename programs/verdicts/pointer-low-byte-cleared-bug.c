/* Filling some bytes of a pointer moves it. */
extern void reach_error(void);
void *memset(void *, int, unsigned long);

static int cells[128] __attribute__((aligned(512)));

int main(void)
{
    int *p = &cells[1];
    memset(&p, 0, 1);
    cells[0] = 1;
    *p = 7;
    if (cells[0] != 1)
        reach_error();
    return 0;
}
