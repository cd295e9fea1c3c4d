/* The only pointer to the memory is overwritten. */
#include <stdlib.h>
int *p;
int main(void)
{
    p = malloc(sizeof *p);
    p = malloc(sizeof *p);
    free(p);
    return 0;
}
