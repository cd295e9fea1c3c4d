/* Results that the standard determines. */
#include <arpa/inet.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>
void reach_error(void);

int main(void)
{
    int exponent;
    if (div(7, -2).quot != -3 || div(7, -2).rem != 1 || ffs(8) != 4 || htonl(1) != 0x01000000)
        reach_error();
    if (ldexp(1.5, 3) != 12.0 || frexp(8.0, &exponent) != 0.5 || exponent != 4)
        reach_error();
    return 0;
}
