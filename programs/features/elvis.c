// Feature: elvis.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int n;
int f(void)
{
    n++;
    return 5;
}

int main(void)
{
    int x = f()? : 9;
    CHECK(x == 5 && n == 1);
    CHECK((0 ? : 7) == 7);
    return 0;
}
