// Feature: long double.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    long double x = 1.0L;
    for (int i = 0; i < 60; i++)
        x /= 2;
    CHECK(1.0L + x != 1.0L);
    return 0;
}
