/* A little of everything that the parser knows; the fuzz test takes it apart. */
# 1 "sample.c"
typedef unsigned long size_t;
typedef struct node { struct node *next; int value : 7, : 0; union { char c[4]; float f; }; } node_t;
enum colour { RED, GREEN = 1 << 2, BLUE, } __attribute__((packed));
extern int printf(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));
static int table[] = { 1, [3] = 4, [5 ... 7] = 8 }, (*handler)(int, char **) asm("h");
_Static_assert(sizeof(int) == 4, "int" " has four bytes");
_Alignas(16) _Thread_local volatile int counter;
__extension__ typedef __typeof__(sizeof(int)) word;
int old(a, b) int a; char *b; { return a ? b[a] : *b; }
static inline __attribute__((always_inline)) void *
pick(size_t n, int row[static const 3], void (*each)(node_t *))
{
  __label__ again;
  node_t local = { .value = 3, .c = "ab\n" }, *p = &local;
  int vla[n + 1], i, j;
again:
  for (int k = 0, m = 10; k < m; k++, --m) {
    switch (row[k]) {
    case 'a' ... 'z': vla[k] += 1; break;
    case 5: int inner = 2;
    default: continue;
    }
  }
  do { i = (int)3.5e2 + (j = 7ull, j << 2) - ~i % 3; } while (i-- > 0 && !p->next || j);
  while (p != (void *)0) { each(p); p = p->next; if (p) goto again; else if (j == 2) break; else ; }
  __asm__ volatile ("mov %1, %0" : "=r" (i) : [in] "r" (j) : "memory", "cc");
  i = ({ __auto_type t = i; t > 0 ? t : -t; }) ?: __builtin_offsetof(node_t, c[2]);
  j = _Generic(i, int: 1, char *: 2, default: 3) + sizeof (int[]){ 1, 2 } / _Alignof(double);
  void *target = &&again; goto *target;
  return __builtin_choose_expr(1, p, (node_t *)0)->next;
}
#pragma pack(push, 1)
struct wire { unsigned char kind; int length __attribute__((aligned(2))); char body[]; };
#pragma pack(pop)
int main(void) { return L'x' == 0x78 && "wide" L"ned"[2] != u8"s"[0] ? printf("%d\n", table[0]) : 1; }
