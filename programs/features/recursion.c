// Feature: recursion.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(void)
{
    CHECK(fib(10) == 55);
    return 0;
}
