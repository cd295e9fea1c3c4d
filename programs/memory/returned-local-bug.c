/* A function returns the address of its variable. */
static int *f(void)
{
    int x = 1;
    int *p = &x;
    return p;
}
int main(void)
{
    return *f();
}
