/* The only pointer to the memory is a variable of `main`. */
#include <stdlib.h>
int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    return 0;
}
