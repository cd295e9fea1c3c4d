/* All bytes of what was allocated. */
void reach_error(void);
void *malloc(unsigned long);
void fill(void *p);

int main(void)
{
    int *p = malloc(8);
    p[1] = 3;
    fill(p);
    if (p[1] != 3)
        reach_error();
    return 0;
}
