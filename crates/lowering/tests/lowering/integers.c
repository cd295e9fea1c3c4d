/* Integer arithmetic at the edges: conversions, promotions, shifts, wrap-around. */
#include <stdio.h>
typedef unsigned char u8; typedef signed char s8; typedef unsigned short u16;
int main(void) {
    u8 a = 200, b = 100; s8 c = -128; u16 d = 65535; int i = -7; unsigned u = 3000000000u; long long l = -1;
    unsigned long long ull = ~0ULL;
    printf("%d %d %d\n", a + b, (u8)(a + b), (s8)(a));
    printf("%d %d %d\n", -c, (s8)-c, c / -1);
    printf("%d %d\n", d * 1, (int)(u16)(d + 1));
    printf("%d %d %d %d\n", i / 2, i % 2, i >> 1, (unsigned)i >> 28);
    printf("%u %d %d\n", u + u, u > i, (int)u < i);
    printf("%lld %d %d\n", l, l < 0u, (unsigned)l == 0xffffffffu);
    printf("%llu %llu\n", ull * ull, ull / 10);
    printf("%d %d\n", (int)(ull >> 63), (int)((long long)ull >> 63));
    printf("%d %d %d\n", !a, !!b, !0);
    printf("%d %d\n", ~a, (u8)~a);
    a += 100; c--; d++; 
    printf("%d %d %d\n", a, c, d);
    _Bool t = 256, f = 0.0; t++; f--; 
    printf("%d %d %d\n", t, f, (_Bool)0.1);
    a = 1; a <<= 7; c = a; printf("%d %d\n", a, c);
    i = 2147483647; i++; printf("%d\n", i);
#ifdef __SIZEOF_INT128__
    __int128 w = (__int128)ull * ull; printf("%llx\n", (unsigned long long)(w >> 64));
#endif
    enum e { A = -1, B = 5 } e = A; printf("%d %d\n", e < 0, (int)sizeof e);
    enum { BIG = 0x80000000 } g = BIG; printf("%d\n", g > 0);
    printf("%d %d\n", 'a', '\377');
    printf("%d\n", (int)sizeof(a + b));
    int s = 33; printf("%d %d\n", (1 << 31) >> 31, 1 >> (s & 31));
    printf("%d %d\n", 0 ? 1 : -1 < 1u, (char)300);
    return (u8)-1 == 255;
}
