// Feature: function pointer argument.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int twice(int (*f)(int), int x)
{
    return f(f(x));
}

int inc(int x)
{
    return x + 1;
}

int dbl(int x)
{
    return 2 * x;
}

int main(void)
{
    CHECK(twice(inc, 3) == 5 && twice(dbl, 3) == 12);
    return 0;
}
