// Feature: old style functions.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int f(a, b)
int a;
char b;
{
    return a + b;
}

int main(void)
{
    CHECK(f(1, 2) == 3);
    return 0;
}
