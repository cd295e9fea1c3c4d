/* Each activation gives the next one a pointer to its own variable. */
static int f(int *up, int n)
{
    int x = *up + 1;
    return n ? f(&x, n - 1) : x;
}
int main(void)
{
    int x = 0;
    return f(&x, 3) - 4;
}
