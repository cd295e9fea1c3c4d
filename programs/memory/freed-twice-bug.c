/* Memory is freed twice. */
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void)
{
    char *p = malloc(4);
    if (__VERIFIER_nondet_int())
        free(p);
    free(p);
    return 0;
}
