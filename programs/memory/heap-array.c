/* An array on the heap of a size that is an input. */
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000)
        return 0;
    int *a = malloc(n * sizeof *a);
#ifdef BUG
    for (int i = 0; i <= n; i++)
#else
    for (int i = 0; i < n; i++)
#endif
        a[i] = 0;
    free(a);
    return 0;
}
