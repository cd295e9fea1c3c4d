// Feature: compound assignment.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    unsigned char c = 250;
    c += 10;
    CHECK(c == 4);
    int x = 7;
    x <<= 2;
    x ^= 3;
    x %= 10;
    CHECK(x == 1);
    short s = -1;
    s >>= 1;
    CHECK(s == -1);
    return 0;
}
