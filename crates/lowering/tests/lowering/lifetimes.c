/* Locals in memory live while their block is active, on every route in and out. */
#include <stdio.h>
static int *keep[4];
static void set(int *p, int v) { *p = v; }
static int leave(int n) {
    for (int i = 0; ; i++) {
        int x;
        set(&x, i);
        if (x == n) return x + 1;
        { int y; set(&y, x * 2); if (y == 6) { int z; set(&z, y); n = z; goto out; } }
        if (i == 1) continue;
    }
out:
    return n * 10;
}
static int fact(int n) { int local; set(&local, n); if (n < 2) return 1; int r = fact(n - 1); return r * local; }
static int jump(int n) {
    int r = 0;
    if (n) goto mid;
    {
        int v; set(&v, 3); r += v;
mid:    ;
        int w; set(&w, 4); r += w;
        set(&v, 9); r += v;
    }
    if (r < 20) { n = 1; goto mid; }
    return r;
}
int main(void) {
    printf("%d %d\n", leave(2), leave(100));
    printf("%d\n", fact(6));
    printf("%d %d\n", jump(0), jump(1));
    for (int i = 0; i < 3; i++) { int a[2] = {i, i + 1}; keep[i] = a; printf("%d%d ", *keep[i], a[1]); }
    printf("\n");
    for (int i = 1; i < 4; i++) {
        int vla[i];
        for (int j = 0; j < i; j++) set(&vla[j], j * i);
        if (i == 2) continue;
        printf("%d ", vla[i - 1]);
    }
    printf("\n");
    return 0;
}
