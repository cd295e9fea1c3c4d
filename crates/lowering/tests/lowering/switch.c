/* switch: fall-through, ranges, default anywhere, Duff's device, nested. */
#include <stdio.h>
static int f(int x) {
    int r = 0;
    switch (x) {
    default: r += 100;
    case 1: r += 1; break;
    case 2: r += 2;
    case 3: { r += 3; break; }
    case 10 ... 20: r = 10;
    case -5: switch (r) { case 10: r++; break; default: r--; } r += 50;
    }
    return r;
}
static int g(unsigned char c) {
    switch (c) { case 'a' ... 'z': return 1; case '0': return 2; }
    return 3;
}
static long h(long long v) { switch (v) { case 0x100000000LL: return 1; case -1: return 2; } return 0; }
static void duff(char *to, const char *from, int count) {
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
}
int main(void) {
    char buf[16] = {0};
    for (int i = -6; i < 22; i++) printf("%d ", f(i));
    printf("\n%d %d %d\n", g('q'), g('0'), g(200));
    printf("%ld %ld %ld\n", h(0x100000000LL), h(-1), h(0));
    duff(buf, "hello, duff!", 11);
    printf("%s\n", buf);
    switch (3) { int unused; case 3: unused = 5; printf("%d\n", unused); }
    switch (1) case 1: printf("one\n");
    switch (9) { }
    for (int i = 0; i < 3; i++) switch (i) { case 1: continue; default: printf("i%d ", i); }
    printf("\n");
    return 0;
}
