typedef int T; typedef T *PT; typedef struct S S; struct S { T a; PT b; S *next; const int k; };
union U { int i; float f; S s; unsigned char bytes[4]; };
extern S gs; S gs; static int st; extern int st;
int proto(int, char *, ...); int proto(int a, char *b, ...);
void voidf(void); typedef void vfn(int); vfn declared; vfn *ptr = declared;
enum E { A, B = 3, C = B + 2, D = sizeof(S) }; enum E ge = B;
const int ci = 3; volatile int vi; int *const cpi = &st; const char *names[] = { "a", "b", [5] = "f" };
int mat[3][4] = { { 1, 2 }, { [2] = 5 }, 1, 2, 3 }; int (*row)[4] = mat + 1; int *flat = &mat[0][0];
static int helper(T a, PT b) { T T = a; int PT = T + *b; { extern int st; struct S { char c; } s = { 'x' }; return s.c + PT + st; } }
int scopes(int x) { int y = x; { int x = y; { float x = y; y = x; } x++; } for (int x = 0, z = 1; x < z; x++) { int y = x; continue; y++; } return x + y; }
struct fwd; struct fwd *mkfwd(void); int usefwd(struct fwd *p); struct fwd { int q; }; int usefwd(struct fwd *p) { return p->q + mkfwd()->q; }
int labels(int n) { again: if (n-- > 0) goto again; else goto out; { int k; out: k = 1; return k; } }
long conv(char c, unsigned u, float f, long l, double d, _Bool b, enum E e, void *p, char *q) { c = u + f; u = c * l; f = d; l = p ? q - (char *)p : 0; b = p; e = u; p = q; q = p; d = e + b; return c ? u : l; }
int ops(int a, int b, unsigned c) { a += b; a -= c; a *= 2; a /= b; a %= 3; a <<= 1; a >>= b; a &= c; a |= 1; a ^= b; return a++ + --b - ~c + !a + -b + (a < b) + (a && b || c) + (a, b); }
int ptrs(int *p, int **pp, char *s, void *v, int (*f)(int)) { p += 2; p++; *p++ = 1; **pp = *p; pp[1][2] = 3; s[1] = *(s + 2); v = p; p = v; return (*f)(1) + f(2) + (**f)(3) + (&s[1] > s) + !f + (p == 0) + (p != (void *)0); }
S ret(S s, S *p) { S t = s, u = *p; t.a = u.a + p->next->a; union U w = { .f = 1.0f }; w.s.a = 1; return w.i ? t : u; }
int sw(enum E e, long l) { switch (e) { case A: { int z; z = 1; return z; } case B: case C: break; default: e = A; } switch (l) { case 1L: case 'c': case 0x10: ; } while (1) { if (e) break; do { continue; } while (0); } return 0; }
void inits(int n) { int a[3] = { n, n + 1 }; S s = { .a = n, .k = 2 }; char t[8] = "hi"; int z = { 5 }; S arr[2] = { s, { 1 } }; const char *p = "x"; int b[] = { [2] = 1 }; struct { int x, y; } pt = { 1, 2 }, q = pt; unsigned w[2][2] = { 1, 2, 3, 4 }; (void)a; (void)arr; }
static const struct { const char *name; int (*fn)(int); } table[] = { { "s", scopes }, { "l", labels }, { 0 } };
int count(void) { return sizeof table / sizeof table[0] + sizeof(int[3]) + sizeof *names + _Alignof(double); }

/* What C promises, and what gcc prefers: they differ on i386. */
struct aligned_member { char c; long long member; } aligned_variable;
long long aligned_object, *aligned_pointer;
_Static_assert(_Alignof(long long) == sizeof(void *), "");
_Static_assert(__alignof__(long long) == 8 && __alignof(double) == 8, "");
_Static_assert(__alignof__(aligned_variable.member) == sizeof(void *), "");
_Static_assert(__alignof__(aligned_object) == 8 && _Alignof(aligned_object) == 8, "");
_Static_assert(__alignof__(long long[3]) == 8 && _Alignof(int[3]) == 4, "");
