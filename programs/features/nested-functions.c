/* GNU's nested functions: variables of the functions around them, recursion, pointers to them. */
extern void reach_error(void);
#define CHECK(c) ((c) ? (void)0 : reach_error())
#include <stdlib.h>

static int apply(int (*f)(int), int x)
{
    return f(x);
}

static int fold(int n, const int *values, int (*step)(int, int))
{
    int result = 0;
    for (int i = 0; i < n; i++)
        result = step(result, values[i]);
    return result;
}

/* Each activation has its own n, also behind a call of another one. */
static int depth(int n)
{
    int inner(void)
    {
        int below = n > 0 ? depth(n - 1) : 0;
        return below * 10 + n;
    }
    return inner();
}

static int weighted(int weight)
{
    int values[3] = { 1, 2, 3 };
    int step(int sum, int x)
    {
        return sum + weight * x;
    }
    return fold(3, values, step);
}

int main(void)
{
    int count = 0;
    int twice(int x)
    {
        count++;
        return 2 * x;
    }
    int outer(int x)
    {
        int shift = 3;
        int inner(int y)
        {
            count++;
            return twice(y) + shift;
        }
        return inner(x) + inner(x + 1);
    }
    CHECK(twice(4) == 8 && count == 1);
    CHECK(outer(1) == 12 && count == 5);
    CHECK(apply(twice, 5) == 10 && count == 6);
    CHECK(depth(3) == 123);
    CHECK(weighted(2) == 12 && weighted(5) == 30);
    return 0;
}
