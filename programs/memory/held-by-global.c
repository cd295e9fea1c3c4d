/* What a global variable leads to at the end is not lost. */
#include <stdlib.h>
int *p;
int main(void)
{
    p = malloc(sizeof *p);
    return 0;
}
