/* A flexible array member behind a pointer and a length. */
#include <stdlib.h>
unsigned __VERIFIER_nondet_uint(void);

#ifdef BUG
#define INSIDE(i, n) ((i) <= (n))
#else
#define INSIDE(i, n) ((i) < (n))
#endif

struct buffer { size_t length; unsigned char data[]; };

static void fill(struct buffer *b)
{
    for (size_t i = 0; INSIDE(i, b->length); i++)
        b->data[i] = 1;
}

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n > 1000)
        return 0;
    struct buffer *b = malloc(sizeof *b + n);
    if (!b)
        return 0;
    b->length = n;
    fill(b);
    free(b);
    return 0;
}
