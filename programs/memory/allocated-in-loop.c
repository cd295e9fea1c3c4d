/* Allocation, use and release in a loop without a bound. */
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void)
{
    while (__VERIFIER_nondet_int()) {
        int *p = malloc(sizeof *p);
        *p = 1;
        free(p);
    }
    return 0;
}
