// The operand of sizeof is evaluated if its type has a variable size, and only then.
#include <assert.h>

static int calls;

static int count(void)
{
    return ++calls;
}

static int rows(int n, int a[n++][2])
{
    (void)a;
    return n;
}

int main(void)
{
    int n = 3, i = 0, pair[1][2] = {{0, 0}};
    int table[n][n + 1];
    assert(sizeof(table[i++]) == 4 * sizeof(int));
    assert(i == 1);
    assert(sizeof(int[count()]) == sizeof(int));
    assert(calls == 1);
    assert(sizeof(pair[count()]) == 2 * sizeof(int));
    assert(calls == 1);
    assert(rows(1, pair) == 2);
    return 0;
}
