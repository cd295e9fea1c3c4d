// Feature: enums.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
enum e { A, B = 5, C, D = -1 };
int main(void)
{
    enum e x = C;
    CHECK(x == 6 && D < A && sizeof x == 4);
    return 0;
}
