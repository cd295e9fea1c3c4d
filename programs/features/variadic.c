// Feature: variadic.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <stdarg.h>
int sum(int n, ...)
{
    va_list l;
    va_start(l, n);
    int s = 0;
    while (n--)
        s += va_arg(l, int);
    va_end(l);
    return s;
}

int main(void)
{
    CHECK(sum(3, 1, 2, 3) == 6 && sum(0) == 0);
    return 0;
}
