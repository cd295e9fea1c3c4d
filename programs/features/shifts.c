// Feature: shifts.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    int x = -8;
    CHECK(x >> 1 == -4);
    unsigned u = 0x80000000u;
    CHECK(u >> 31 == 1);
    CHECK((1 << 5) == 32);
    return 0;
}
