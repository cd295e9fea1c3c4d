/* CBMC's questions about memory. */
#include <stdlib.h>
unsigned __VERIFIER_nondet_uint(void);
struct pair { int a, b; };
static int table[4];
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint() % 100 + 1;
    char *p = malloc(n);
    if (!p)
        return 0;
    struct pair pair = {1, 2};
#ifdef BUG
    n++;
#endif
    int *readable = __CPROVER_r_ok(p, n) ? &pair.a : NULL;
    int *writable = __CPROVER_w_ok(&pair) && !__CPROVER_r_ok(&pair.b, 5) ? &pair.b : NULL;
    int *same = __CPROVER_same_object(&pair.a, &pair.b) ? table : NULL;
    int *other = __CPROVER_same_object(p, table) ? NULL : table + 1;
    *readable = *writable = *same = *other = 1;
    table[__CPROVER_POINTER_OFFSET(table + 3) / sizeof *table] = 1;
    table[__CPROVER_OBJECT_SIZE(&pair) == 8 ? 0 : 4] = 1;
    __CPROVER_havoc_object(p);
    free(p);
    return 0;
}
