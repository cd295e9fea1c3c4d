// A new object may get the address of one that was released.
#include <stdlib.h>
void reach_error(void);

int main(void)
{
    char *first = malloc(8);
    free(first);
    char *second = malloc(8);
    if (first == second)
        reach_error();
    return 0;
}
