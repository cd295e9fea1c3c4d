// Feature: signed wrap.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    int x = 2147483647;
    x = x + 1;
    CHECK(x < 0);
    unsigned u = 0;
    u--;
    CHECK(u == 4294967295u);
    return 0;
}
