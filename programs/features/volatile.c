// Feature: volatile.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
volatile int v = 3;
int main(void)
{
    int a = v;
    v = a + 1;
    CHECK(v == 4);
    return 0;
}
