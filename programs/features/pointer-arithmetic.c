// Feature: pointer arithmetic.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    int a[5] = { 1, 2, 3, 4, 5 };
    int *p = a + 4;
    CHECK(p - a == 4 && *--p == 4 && p[-1] == 3);
    p = &a[1];
    CHECK(*p++ == 2 && *p == 3);
    return 0;
}
