/* What is freed was never allocated. */
#include <stdlib.h>
int main(void)
{
    int x;
    int *p = &x;
    free(p);
    return 0;
}
