// Feature: float nan.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    double z = 0;
    double n = z / z;
    CHECK(n != n);
    CHECK(!(n < 1) && !(n > 1));
    double i = 1 / z;
    CHECK(i > 1e308);
    return 0;
}
