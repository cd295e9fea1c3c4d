/* Five steps go round the address space and arrive at the next cell. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

static int cells[12];

int main(void)
{
    unsigned long a = (unsigned long)cells;
    unsigned n = __VERIFIER_nondet_uint();
    for (unsigned i = 0; i < n; i++)
        a += 3689348814741910324ul;
    cells[1] = 1;
    if (n == 5)
        *(int *)a = 7;
    if (cells[1] != 1)
        reach_error();
    return 0;
}
