// List order.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <stdlib.h>
struct n {
    int v;
    struct n *x;
};
int main(void)
{
    struct n *h = 0;
    for (int i = 0; i < 3; i++) {
        struct n *p = malloc(sizeof *p);
        p->v = i;
        p->x = h;
        h = p;
    }
    CHECK(h->v == 2 && h->x->v == 1 && h->x->x->x == 0);
    return 0;
}
