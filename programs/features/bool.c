// Feature: bool.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    _Bool b = 5;
    CHECK(b == 1);
    b = 0.5;
    CHECK(b == 1);
    b = !b;
    CHECK(b == 0);
    return 0;
}
