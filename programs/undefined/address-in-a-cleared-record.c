// An address is written into a number of a record that was cleared byte by byte.
#include <assert.h>
struct state { long count; char *name; };
static int x;
static void put(struct state *p, char *v) { p->name = v; }
static void clear(void *p, unsigned n) { char *b = p; while (n--) *b++ = 0; }
int main(void)
{
    struct state a[2];
    clear(a, sizeof a);
    put((struct state *)((char *)&a[0] + 8), (char *)&x);
    assert(a[1].count % 4096 != 8);
    return 0;
}
