// Feature: int128.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    unsigned __int128 x = 1;
    x <<= 100;
    CHECK((x >> 99) == 2);
    x -= 1;
    CHECK((unsigned long long)x == 18446744073709551615ull);
    return 0;
}
