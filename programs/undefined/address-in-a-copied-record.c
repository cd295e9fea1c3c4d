// A record that was cleared byte by byte is copied with an address in it, and read at another distance.
#include <assert.h>
struct state { long count; char *name; };
static int x;
static void clear(void *p, unsigned n) { char *b = p; while (n--) *b++ = 0; }
int main(void)
{
    struct state a, c;
    clear(&a, sizeof a);
    clear(&c, sizeof c);
    a.name = (char *)&x;
    c = a;
    struct state *e = (struct state *)((char *)&c + 8);
    assert(e->count % 4096 != 8);
    return 0;
}
