/* K&R definitions, calls without a prototype, implicit int. */
#include <stdio.h>
static sum(a, b, c) int a; char b; float c; { return a + b + (int)c; }
static int anything() { return 12; }
static half(x) double x; { return x / 2; }
static noreturn_value(x) { if (x) return 5; }
int main(void) {
    int (*p)() = sum;
    printf("%d %d\n", sum(1, 'a' - 96, 2.5), p(1, 2, 3.0));
    printf("%d %d\n", anything(), half(9.0));
    printf("%d\n", noreturn_value(1));
    auto k = 4;
    register r = 6;
    return k + r;
}
