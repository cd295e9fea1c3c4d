// Feature: calloc realloc.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <stdlib.h>
int main(void)
{
    int *p = calloc(3, sizeof(int));
    CHECK(p[2] == 0);
    p[1] = 7;
    p = realloc(p, 40);
    CHECK(p[1] == 7);
    p[9] = 1;
    CHECK(p[9] == 1);
    free(p);
    return 0;
}
