typedef unsigned long size_t_;
typedef __builtin_va_list va_list;
extern int printf(const char *, ...);
struct s { int a; struct { int b; union { char c; long d; }; }; int e[]; };
static struct s gs = { 1, { 2, { .d = 5 } }, { 1, 2, 3 } };
static inline int sq(int x) { return x * x; }
int f(), g(void);
int kr(a, b, c) char a; float b; { return a + b + c; }
int arr[] = { [5] = 1, 2, [0] = 7 };
_Static_assert(sizeof arr == 7 * sizeof(int), "len");
char str[] = "abc" "def";
_Static_assert(sizeof str == 7, "");
enum color { RED, GREEN = 5, BLUE };
enum fwd;
enum fwd { FW1, FW2 };
int (*fp)(int) = sq;
int (*fps[3])(int) = { sq, &sq, *sq };
void vf(int n, int m, int a[n][m], int (*b)[m]) {
  int v[n + 1];
  typedef int row[m];
  row r; row *pr = &r;
  v[0] = sizeof v; v[1] = sizeof(row); v[2] = sizeof(int[n][m]);
  a[1][2] = b[0][1]; pr++;
  (*pr)[0] = 1;
  int (*q)[n] = (int (*)[n])a;
  q[1][0] = 3;
}
int vararg(int n, ...) {
  va_list ap, ap2; __builtin_va_start(ap, n);
  __builtin_va_copy(ap2, ap);
  int x = __builtin_va_arg(ap, int); double d = __builtin_va_arg(ap2, double);
  __builtin_va_end(ap); __builtin_va_end(ap2);
  return x + d;
}
int vh(va_list ap) { return __builtin_va_arg(ap, int); }
int stmts(int x) {
  int r = ({ int y = x; y++; y; });
  r = x ?: 3;
  switch (x) { case 1 ... 5: r = 1; break; default: r = 2; case 7: r++; }
  switch (x) { case 0: do { r++; case 1: r--; case 2: ; } while (r); }
  static void *tab[] = { &&l1, &&l2 };
  goto *tab[x & 1];
 l1: r = 1;
 l2: return r;
}
typedef union { int *ip; float *fp; } tu __attribute__((transparent_union));
void take(tu);
void give(void) { int i; float f; take(&i); take(&f); take(0); }
struct bf { unsigned a : 3; signed b : 5; unsigned long long c : 40; _Bool d : 1; };
int bits(struct bf *p) { p->a++; p->b += 2; p->c = p->c * p->c; return p->a + p->c > 3 ? p->d : -1; }
struct s mk(void);
int tmp(void) { return mk().b + mk().e[1]; }
int cl(void) { struct s *p = &(struct s){ .a = 1 }; return ((int[]){1,2,3})[1] + p->a + ((struct bf){.a=1}).a; }

void sw(void) { int a = 1, b = 2; ({ __typeof__(a) t = a; a = b; b = t; }); __auto_type z = a + 1L; _Static_assert(sizeof z == sizeof(long), ""); }
int gen(void) { return _Generic(1.0f, float: 1, double: 2) + _Generic("x", char *: 1, default: 0) + _Generic((char)1, char: 1, int: 2); }
_Static_assert(_Generic('a', int: 1, default: 0), "");
_Static_assert(__builtin_types_compatible_p(int, const int), "");
_Static_assert(!__builtin_types_compatible_p(int, long), "");
_Static_assert(__builtin_offsetof(struct s, e[2]) == sizeof(struct s) + 8, "");
_Static_assert(__builtin_constant_p(3), "");
int ext(void) { extern int elsewhere; extern int fn(int); return elsewhere + fn(1); }
void builtins(void *p, const void *q, int n) {
  __builtin_memcpy(p, q, n); __builtin_memset(p, 0, n); __builtin_strlen(q);
  if (__builtin_expect(n == 1, 0)) __builtin_unreachable();
  __builtin_prefetch(p); n = __builtin_clz(n) + __builtin_popcountll(n) + __builtin_ffs(n);
  int r; if (__builtin_add_overflow(n, 1L, &r) || __builtin_smul_overflow(n, 2, &r)) __builtin_trap();
  double d = __builtin_huge_val() + __builtin_nan("") + __builtin_inff();
  n = __builtin_isnan(d) + __builtin_isinf_sign(d) + __builtin_signbit(d) + __builtin_fpclassify(0,1,2,3,4,d) + __builtin_isgreater(d, 1);
  char *a = __builtin_alloca(n); a = __builtin_return_address(0); __sync_fetch_and_add(&n, 1);
  n = __builtin_bswap32(n) + __builtin_object_size(p, 0); n = __atomic_load_n(&n, 5); __atomic_store_n(&n, 3, 5);
  d = __builtin_fabs(d) + __builtin_sqrtf(2) + __builtin_fmaxl(1, 2);
}
const char *fname(void) { return __func__; }
int impl(void) { return undeclared_fn(1, 2.0f); }
void lbl(void) { { __label__ a; goto a; a: ; } { __label__ a; goto a; a: ; } }
int asmf(int x) { int y; __asm__ volatile("nop" : "=r"(y) : "r"(x), "m"(arr) : "memory", "cc"); asm("" ::: "memory"); return y; }
extern __inline __attribute__((__gnu_inline__)) int gi(int x) { return x; }
int gi(int x) { return x + 1; }
int old();
int callold(void) { return old(1, 2) + old('a', 1.0f); }
void (*sig(int s, void (*h)(int)))(int) { return h; }
struct node { struct node *next; int v; } *head;
int walk(void) { int n = 0; for (struct node *p = head; p; p = p->next) n += p->v; return n; }
__thread int tls; volatile int vol; const int *const cp = &arr[1];
long long ptrdiff(int *a, int *b, void *c, void *d) { return (a - b) + (c - d) + (char *)c - (char *)d; }
int cmp(int *a, void *b) { return a == b || a < (int *)b || !a || a == 0; }
_Complex double cplx(double);
typedef float v4 __attribute__((vector_size(16)));
v4 vecadd(v4, v4);
static inline v4 use_vec(v4 a) { return a + a; }
_Float128 f128(_Float128);
int neg[] = { -1, ~0, !3, 1 ? 2 : 3, sizeof(int), 'x', (int)3.9, 1 << 3, 5 / 2, -5 % 3, 1 && 0, 2 > 1 };
void *addr[] = { arr, &arr[2], arr + 1, &gs.b, str, "lit", sq, (void *)0, (char *)&gs + 4, &gs.e[1] };
unsigned long ul = (unsigned long)&arr;
static struct bf sbf = (struct bf){ 1, 2, 3 };
int main(void) { int x = 0, *p = &x; return x++ + *p-- + sizeof(x) + stmts(1) + vararg(1, 2, 3.0); }
union from_cast { int i; float f; }; static union from_cast cast_union = (union from_cast)1.5f;
int atom(int *p, int *e) { return __atomic_compare_exchange_n(p, e, 3, 0, 5, 5) + __builtin_add_overflow_p(1, 2, (char)0) + __sync_bool_compare_and_swap(p, 1, 2); }
