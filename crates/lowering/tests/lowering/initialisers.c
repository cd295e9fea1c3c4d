/* Initialisers: partial, designated, overriding, nested, strings, statics. */
#include <stdio.h>
int zero[5];
int part[5] = {1, [3] = 4, [1] = 9, 8};
char text[] = "abc", cut[3] = "xyz", padded[6] = "ab";
__WCHAR_TYPE__ wide[] = L"hi";
struct s { int a; char b[4]; struct { short c, d; } e; int *p; } tab[2] = {{1, "q", {2}, zero}, [1].e.d = 7};
const char *names[] = {"one", "two", 0};
int *into = &part[3];
int (*fn)(const char *, ...) = printf;
static const double table[2][3] = {{1, 2, 3}, {4, 5}};
union { int i; char c[8]; } un = {.c = {1, 2}};
struct flex { int n; int v[]; } fl = {2, {5, 6}};
int *lit = (int[]){3, 4, 5};
int range[8] = {[2 ... 5] = 9, [3] = 1};
static int counter(void) { static int n = 40; static int *p = &n; return ++*p; }
static int locals(int k) {
    int a[6] = {k, k + 1}, b[100] = {[50] = k}, c[2][2] = {{1}, {k, 2}}, m = {k};
    char s[] = "loc", t[8] = {'x', 'y'}, u[300] = "long";
    struct s r = {.e = {.d = k}, .b = "zz"}, z = r;
    r.a = 5;
    int total = m + u[0] + u[299];
    for (int i = 0; i < 100; i++) total += b[i];
    for (int i = 0; i < 6; i++) total += a[i] * 2;
    printf("%d %d %d %s %s %d %d %d %p %d\n", total, c[0][1], c[1][0], s, t, r.a, r.b[1], r.e.d, (void *)r.p, z.e.d);
    static struct s st = {.a = 3};
    return st.a += k;
}
int main(void) {
    printf("%d %d %d %d %d %d\n", zero[4], part[0], part[1], part[2], part[3], part[4]);
    printf("%s %.3s %d %d %d\n", text, cut, padded[5], (int)sizeof text, (int)wide[1]);
    printf("%d %s %d %d %d %d\n", tab[0].a, tab[0].b, tab[0].e.c, tab[0].e.d, tab[1].e.d, tab[0].p == zero);
    printf("%s %s %d %d\n", names[0], names[1], names[2] == 0, *into);
    printf("%g %g %d %d\n", table[1][1], table[1][2], un.c[1], un.c[7]);
    printf("%d %d %d\n", fl.v[1], lit[2], (int)sizeof fl);
    for (int i = 0; i < 8; i++) printf("%d ", range[i]);
    counter();
    printf("%d\n", counter());
    printf("%d\n", locals(3));
    printf("%d\n", locals(4));
    return 0;
}
