struct s { int a; struct { char b; int c[4]; } d; };

int arr[((unsigned long)&((struct s *)0)->d.c[2])];
_Static_assert(sizeof arr == 16 * 4, "");
enum { E = ((unsigned long)&((struct s *)0)->d) };
int f(int i) {
  static const int tab[] = { &&l1 - &&l0, &&l2 - &&l0 };
  static void *const t2[] = { &&l0, &&l1, &&l2, &&l0 + 1 };
  switch (i) { case ((unsigned long)&((struct s *)0)->d.c[1]): return 1; }
  goto *(&&l0 + tab[i]);
 l0: l1: l2: return t2[0] == t2[1];
}

struct s *g(int *p) { return ((struct s *)((char *)(p) - __builtin_offsetof(struct s, d.c))); }
struct s gs; struct s *gp = &gs ? &gs : 0; int *ip = 1 ? &gs.d.c[1] : (int *)0;
char *cp = (char *)&gs + ((unsigned long)&((struct s *)0)->d);
