// Feature: integer promotion.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    unsigned char a = 200, b = 100;
    CHECK(a + b == 300);
    signed char s = -1;
    unsigned u = 1;
    CHECK(s > u);
    CHECK((unsigned char)(a + b) == 44);
    return 0;
}
