/* Bit-fields: reading, writing, signs, overflow of the field, value of an assignment. */
#include <stdio.h>
struct f { unsigned a : 3; int b : 5; unsigned long long c : 40; _Bool d : 1; signed char e : 2; unsigned : 0; unsigned g : 32; };
struct __attribute__((packed)) pk { char x; unsigned a : 9; unsigned b : 15; short y; };
static struct f s = {7, -3, 0x123456789aULL, 1, -1, 0xffffffff};
union u { struct { unsigned lo : 4, hi : 4; }; unsigned char byte; };
int main(void) {
    struct f t = {.b = 15, .g = 2};
    printf("%u %d %llx %d %d %x\n", s.a, s.b, (unsigned long long)s.c, s.d, s.e, s.g);
    printf("%u %d %llx %d %d %x\n", t.a, t.b, (unsigned long long)t.c, t.d, t.e, t.g);
    int v = (t.a = 13);
    int w = (t.b = 17);
    printf("%d %d %u %d\n", v, w, t.a, t.b);
    t.a += 4; t.b--; t.c = ~0; t.d = 4; t.e = 1; t.e++; t.g <<= 31;
    printf("%u %d %llx %d %d %x\n", t.a, t.b, (unsigned long long)t.c, t.d, t.e, t.g);
    printf("%d %d\n", t.a++, --t.a);
    struct f *p = &t;
    p->c = p->c >> 3 ^ 5;
    printf("%llx %d\n", (unsigned long long)p->c, -s.a < 0);
    struct pk k = {1, 511, 32767, -2};
    k.a -= 10;
    printf("%d %u %u %d %d\n", k.x, k.a, k.b, k.y, (int)sizeof k);
    union u n = {.byte = 0xa5};
    n.lo = n.hi;
    printf("%x\n", n.byte);
    struct f copy = t;
    copy.a = 0;
    printf("%u %u\n", t.a, copy.a);
    return 0;
}
