// Feature: division signs.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    int a = -7, b = 2;
    CHECK(a / b == -3 && a % b == -1);
    CHECK(7 / -2 == -3 && 7 % -2 == 1);
    return 0;
}
