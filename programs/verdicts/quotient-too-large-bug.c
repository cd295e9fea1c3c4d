// The quotient of the smallest integer and -1 is no integer, also for `div`.
#include <limits.h>
#include <stdlib.h>
#ifndef DIVIDEND
#define DIVIDEND INT_MIN
#endif
int __VERIFIER_nondet_int(void);
int main(void)
{
    int divisor = __VERIFIER_nondet_int();
    if (divisor == 0)
        return 0;
    return div(DIVIDEND, divisor).rem;
}
