/* A function behind a pointer from outside writes as any other. */
void reach_error(void);
extern void (*hook)(int *);

int main(void)
{
    int x = 1;
    hook(&x);
    if (x != 1)
        reach_error();
    return 0;
}
