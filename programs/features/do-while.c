// Feature: do while.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    int i = 10, n = 0;
    do {
        n++;
    } while (i++ < 3);
    CHECK(n == 1 && i == 11);
    return 0;
}
