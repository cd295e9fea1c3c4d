// Feature: flexible array.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <stdlib.h>
struct s {
    int n;
    int d[];
};
int main(void)
{
    struct s *p = malloc(sizeof *p + 3 * sizeof(int));
    p->n = 3;
    for (int i = 0; i < 3; i++)
        p->d[i] = i;
    CHECK(p->d[2] == 2 && sizeof *p == 4);
    free(p);
    return 0;
}
