/* The second round uses what the first has freed. */
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void)
{
    int *p = 0;
    while (__VERIFIER_nondet_int()) {
        if (!p)
            p = malloc(sizeof *p);
        *p = 1;
        free(p);
    }
    return 0;
}
