// Feature: malloc list.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <stdlib.h>
struct n {
    int v;
    struct n *next;
};
int main(void)
{
    struct n *h = 0;
    for (int i = 0; i < 4; i++) {
        struct n *p = malloc(sizeof *p);
        p->v = i;
        p->next = h;
        h = p;
    }
    int s = 0;
    while (h) {
        s = s * 10 + h->v;
        struct n *d = h;
        h = h->next;
        free(d);
    } CHECK(s == 3210);
    return 0;
}
