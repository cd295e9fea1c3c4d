// realloc may leave an object where it is.
void reach_error(void);
void *malloc(unsigned long);
void *realloc(void *, unsigned long);

int main(void)
{
    int *p = malloc(4);
    unsigned long before = (unsigned long)p;
    p = realloc(p, 8);
    if ((unsigned long)p == before)
        reach_error();
    return 0;
}
