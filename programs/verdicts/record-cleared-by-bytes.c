// A record with a pointer is cleared byte by byte by the program's own function, and then used.
void __VERIFIER_assert(int);
#include <stddef.h>

#ifdef BUG
#define CLEARED (sizeof s - 8)
#else
#define CLEARED (sizeof s)
#endif

struct state { int count; char *name; short values[4]; };

static void *clear(void *p, int c, size_t n)
{
    unsigned char *b = p;
    while (n--)
        *b++ = (unsigned char)c;
    return p;
}

int main(void)
{
    struct state s;
    clear(&s, 0, CLEARED);
    __VERIFIER_assert(s.count == 0 && s.name == NULL && s.values[3] == 0);
    s.count = 3;
    s.name = "abc";
    for (int i = 0; i < 4; i++)
        s.values[i] = (short)s.count;
    __VERIFIER_assert(s.values[3] == 3 && s.name[1] == 'b');
    return 0;
}
