/* Side effects inside expressions, in the order that gcc chooses where C leaves it open. */
#include <stdio.h>
int g = 1;
static int bump(void) { g += 10; return g; }
static int put(int x) { printf("<%d>", x); return x; }
static int two(int a, int b) { return a * 100 + b; }
int main(void) {
    int x = 3, y, a[4] = {0, 1, 2, 3}, i = 0;
    int *p = a;
    y = x++ + 5;
    printf("%d %d\n", x, y);
    y = g + bump();
    printf("%d\n", y);
    y = g - bump();
    printf("%d %d\n", y, g < bump());
    y = bump() + g;
    printf("%d\n", y);
    g += bump();
    printf("%d\n", g);
    a[i++] = i;
    printf("%d %d\n", a[0] == 0 || a[0] == 1, i);
    *p++ = 7;
    *++p = 9;
    printf("%d %d %d\n", a[0], a[2], (int)(p - a));
    printf("%d\n", two(put(1), put(2)));
    y = (put(4), put(5));
    y += (x = 2, x * 2);
    printf("%d %d\n", x, y);
    x = y = i = 6;
    printf("%d %d %d\n", x, y, i);
    x = (y += 3) * 2;
    printf("%d %d\n", x, y);
    a[(i = 2)] += 5;
    printf("%d %d\n", a[2], i);
    i = 1;
    a[i] = i = 2;
    printf("%d\n", i);
    x = 5;
    x = x++ * 0 + x;
    x -= -x;
    x <<= 2;
    x ^= 0xff;
    printf("%d\n", x > 0);
    return 0;
}
