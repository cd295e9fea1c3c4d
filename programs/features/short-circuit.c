// Feature: short circuit.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int n;
int f(void)
{
    n++;
    return 0;
}

int main(void)
{
    if (f() && f())
        n = 9;
    CHECK(n == 1);
    if (!f() || f())
        n += 10;
    CHECK(n == 12);
    return 0;
}
