/* What is freed is not the start of the object. */
#include <stdlib.h>
int main(void)
{
    char *p = malloc(4);
    free(p + 1);
    return 0;
}
