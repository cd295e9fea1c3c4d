/* Not computed, but never greater than one. */
#include <math.h>
void reach_error(void);
double __VERIFIER_nondet_double(void);

int main(void)
{
    double x = __VERIFIER_nondet_double();
    if (sin(x) > 1.0 || exp(0.0) != 1.0 || pow(x, 0.0) != 1.0 && x == x)
        reach_error();
    return 0;
}
