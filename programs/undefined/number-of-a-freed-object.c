// A number that was the address of an object is that of another one, if that lies in its place.
void reach_error(void);
void *malloc(unsigned long);
void free(void *);

int main(void)
{
    int *p = malloc(4);
    unsigned long n = (unsigned long)p;
    free(p);
    int *q = malloc(4);
    *q = 1;
    if (n == (unsigned long)q)
        *(int *)n = 5;
    if (*q != 1)
        reach_error();
    return 0;
}
