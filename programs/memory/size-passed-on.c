/* A function that is given an array of any size, and that size. */
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

static void count(int *a, int n)
{
    for (int i = 0; i < n; i++)
        while (a[i] > 0)
            a[i]--;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n >= 1000000)
        n = 1;
    int *p = malloc(n * sizeof(int));
#ifdef FREED
    free(p);
#endif
#ifdef SIZE
    count(p, n + 1);
#else
    count(p, n);
#endif
#ifndef FREED
    free(p);
#endif
    return 0;
}
