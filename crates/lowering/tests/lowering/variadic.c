/* Functions with `...`: every class of argument, lists passed on and copied. */
#include <stdarg.h>
#include <stdio.h>
struct pair { int a, b; };
struct wide { long v[5]; };
static double mix(const char *kinds, ...) {
    va_list ap;
    double total = 0;
    va_start(ap, kinds);
    for (; *kinds; kinds++) {
        switch (*kinds) {
        case 'i': total += va_arg(ap, int); break;
        case 'l': total += va_arg(ap, long long); break;
        case 'd': total += va_arg(ap, double); break;
        case 'D': total += (double)va_arg(ap, long double); break;
        case 's': total += va_arg(ap, char *)[0]; break;
        case 'p': total += va_arg(ap, struct pair).b; break;
        case 'w': total += va_arg(ap, struct wide).v[4]; break;
        case 'u': total += va_arg(ap, unsigned); break;
        }
    }
    va_end(ap);
    return total;
}
static int vsum(int n, va_list ap) { int s = 0; while (n--) s += va_arg(ap, int); return s; }
static int twice(int n, ...) {
    va_list ap, copy;
    va_start(ap, n);
    va_copy(copy, ap);
    int a = vsum(n, ap), b = vsum(n, copy);
    va_end(copy);
    va_end(ap);
    return a * 1000 + b;
}
static void log_line(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    vprintf("[%d %s]\n", ap);
    va_end(ap);
}
int main(void) {
    struct pair p = {1, 20};
    struct wide w = {{0, 0, 0, 0, 500}};
    char c = 3;
    float f = 0.5f;
    printf("%g\n", mix("ildDspwu", 1, 2LL, 0.25, 1.0L, "A", p, w, 4000000000u));
    printf("%g %g\n", mix("id", c, f), mix(""));
    printf("%d\n", twice(3, 1, 2, 3));
    log_line("%d %s", 5, "five");
    int (*fp)(int, ...) = twice;
    printf("%d\n", fp(1, 7));
    return 0;
}
