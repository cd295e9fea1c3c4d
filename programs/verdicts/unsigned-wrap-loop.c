// Unsigned wrap loop.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    unsigned char c = 250;
    int n = 0;
    while (c != 4) {
        c++;
        n++;
    }
    CHECK(n == 10);
    return 0;
}
