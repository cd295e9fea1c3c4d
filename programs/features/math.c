// Feature: math.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <math.h>
int main(void)
{
    CHECK(fabs(-2.5) == 2.5 && floor(-1.5) == -2 && ceil(1.2) == 2 && sqrt(16.0) == 4
          && fmin(1, 2) == 1);
    return 0;
}
