// Arguments are evaluated, also those that a function has no parameter for.
#include <stdio.h>
#ifndef NEXT
#define NEXT(x) ((x) + 1)
#endif
#ifndef USE
#define USE(x) ignores(x)
#endif
int __VERIFIER_nondet_int(void);
int ignores()
{
    return 0;
}
int main(void)
{
    int x = __VERIFIER_nondet_int();
    USE(NEXT(x));
    return 0;
}
