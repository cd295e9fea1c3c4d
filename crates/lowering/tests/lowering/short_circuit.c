/* && || ?: and elvis evaluate only what they need. */
#include <stdio.h>
static int n;
static int yes(int x) { n++; return x; }
static int div0(int a, int b) { return b && a / b > 1; }
int main(void) {
    int zero = 0, one = 1, *null = 0, k = 7;
    int *some = &k;
    if (zero && yes(1)) printf("no\n");
    if (one || yes(1)) printf("yes %d\n", n);
    if (null && *null) printf("no\n");
    if (some && *some == 7 && !(null || zero)) printf("deref\n");
    printf("%d %d\n", div0(4, 0), div0(4, 2));
    printf("%d\n", zero ? yes(1) : yes(2) + n);
    printf("%d %d\n", k ?: yes(5), zero ?: yes(6));
    printf("%d\n", n);
    int r = (zero && yes(3)) || (one && yes(4));
    printf("%d %d\n", r, n);
    r = !(zero || yes(0)) ? (one ? 10 : 20) : 30;
    printf("%d\n", r);
    for (int i = 0; i < 3 && yes(1); i++) ;
    while (n-- && yes(0)) ;
    printf("%d\n", n);
    (void)(one && yes(9));
    one ? (void)yes(1) : (void)0;
    printf("%d %d\n", n, (zero, one) ? 3 : 4);
    double d = 0.5;
    if (d) printf("half\n");
    if (!d || (d && 0.25)) printf("quarter\n");
    return (zero && one) + (zero || one) * 2;
}
