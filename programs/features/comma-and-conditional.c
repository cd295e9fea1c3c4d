// Feature: comma and conditional.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    int a = 1, b = (a++, a * 2);
    CHECK(b == 4);
    int c = a > 1 ? b++ : b--;
    CHECK(c == 4 && b == 5);
    return 0;
}
