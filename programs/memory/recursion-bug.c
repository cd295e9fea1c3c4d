/* An inner activation leaves a pointer to its own variable. */
int *kept;
static void f(int n)
{
    int x = n;
    if (n)
        f(n - 1);
    else
        kept = &x;
}
int main(void)
{
    f(2);
    return *kept;
}
