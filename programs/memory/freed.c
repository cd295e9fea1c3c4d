/* Memory is used before it is freed. */
#include <stdlib.h>
int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 3;
    int x = *p;
    free(p);
    return x - 3;
}
