/* The old address is used after `realloc`. */
#include <stdlib.h>
int main(void)
{
    char *p = malloc(2), *q = realloc(p, 4000);
    p[0] = 1;
    free(q);
    return 0;
}
