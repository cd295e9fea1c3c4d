/* A negative argument is a domain error. */
#include <errno.h>
#include <math.h>
void reach_error(void);

int main(void)
{
    volatile double x = -1.0, y = 4.0;
    errno = 0;
    if (sqrt(y) != 2.0 || errno != 0)
        reach_error();
    sqrt(x);
    if (errno != EDOM)
        reach_error();
    return 0;
}
