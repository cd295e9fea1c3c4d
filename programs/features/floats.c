// Feature: floats.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    double d = 0.1 + 0.2;
    CHECK(d != 0.3);
    float f = 0.1f;
    CHECK(f + f == 0.2f);
    CHECK((int)-2.7 == -2);
    CHECK(1.0 / 3 * 3 == 1.0);
    return 0;
}
