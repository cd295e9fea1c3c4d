/* All is freed at the end. */
#include <stdlib.h>
int *p;
int main(void)
{
    p = malloc(sizeof *p);
    free(p);
    return 0;
}
