/* `realloc` makes room. */
#include <stdlib.h>
int main(void)
{
    char *p = malloc(2);
    p = realloc(p, 4);
    p[3] = 1;
    free(p);
    return 0;
}
