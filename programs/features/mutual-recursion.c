// Feature: mutual recursion.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int odd(int);
int even(int n)
{
    return n == 0 ? 1 : odd(n - 1);
}

int odd(int n)
{
    return n == 0 ? 0 : even(n - 1);
}

int main(void)
{
    CHECK(even(10) && odd(7) && !even(3));
    return 0;
}
