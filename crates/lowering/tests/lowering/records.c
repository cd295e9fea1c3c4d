/* Structs and unions: copy, pass, return, nest, compare through bytes. */
#include <stdio.h>
#include <string.h>
struct point { int x, y; };
struct box { struct point a, b; char name[6]; };
union word { unsigned int u; unsigned char b[4]; float f; };
struct big { long v[20]; };
struct one { char c; };
struct none { };
static struct point make(int x, int y) { struct point p = {x, y}; return p; }
static struct box frame(struct point a, struct point b) { a.x++; return (struct box){a, b, "frame"}; }
static int area(struct box b) { b.b.x -= b.a.x; return b.b.x * (b.b.y - b.a.y); }
static struct big fill(int n) { struct big r; for (int i = 0; i < 20; i++) r.v[i] = n * i; return r; }
static long sum(struct big b) { long s = 0; for (int i = 0; i < 20; i++) s += b.v[i]; b.v[0] = -1; return s; }
static struct one next(struct one o) { o.c++; return o; }
static struct point pick(int c, struct point a, struct point b) { return c ? a : b; }
int main(void) {
    struct point p = make(1, 2), q = p, *r = &q;
    r->x = 5;
    printf("%d %d %d\n", p.x, q.x, make(7, 8).y);
    struct box b = frame(p, make(10, 20));
    printf("%d %d %s %d\n", b.a.x, area(b), b.name, b.b.x);
    struct box c;
    c = b;
    c.b = c.a = (struct point){.y = 4};
    printf("%d %d %d %d\n", c.a.x, c.b.y, b.b.x, (int)sizeof c);
    union word w = {.u = 0x40490fdb};
    printf("%x %x %f\n", w.b[0], w.b[3], w.f);
    w.b[1] = 0;
    printf("%x\n", w.u);
    struct big g = fill(3);
    printf("%ld %ld\n", sum(g), g.v[0]);
    struct one o = {'a'};
    printf("%c %c\n", next(next(o)).c, o.c);
    p = pick(0, p, q);
    printf("%d %d\n", p.x, pick(1, (struct point){1, 1}, p).x);
    struct none e, f; e = f;
    struct { struct point arr[3]; } s = {{{1, 2}, {3, 4}}};
    int i = 1;
    s.arr[i++] = s.arr[0];
    printf("%d %d %d\n", s.arr[1].y, s.arr[2].x, i);
    printf("%d\n", memcmp(&s.arr[0], &s.arr[1], sizeof(struct point)));
    struct point *pp = &(struct point){11, 12};
    pp->x += pp->y;
    printf("%d\n", pp->x);
    q = *pp = p;
    printf("%d %d\n", q.x, pp->x);
    return (p.x, q).y;
}
