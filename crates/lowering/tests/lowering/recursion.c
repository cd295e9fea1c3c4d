/* Recursion: direct, mutual, with memory of its own in each activation. */
#include <stdio.h>
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
static int depth(int n, int *up) { int here = n; if (n == 0) return *up; int r = depth(n - 1, &here); return r + here + *up; }
static void perm(char *s, int k) { if (!s[k]) { printf("%s ", s); return; } for (int i = k; s[i]; i++) { char t = s[k]; s[k] = s[i]; s[i] = t; perm(s, k + 1); t = s[k]; s[k] = s[i]; s[i] = t; } }
struct tree { int v; struct tree *l, *r; };
static struct tree build(int lo, int hi, struct tree *pool, int *n) { int m = (lo + hi) / 2; struct tree t = {m, 0, 0}; if (lo < m) { int k = (*n)++; pool[k] = build(lo, m, pool, n); t.l = &pool[k]; } if (m + 1 < hi) { int k = (*n)++; pool[k] = build(m + 1, hi, pool, n); t.r = &pool[k]; } return t; }
static int walk(const struct tree *t) { return t ? walk(t->l) * 3 + t->v + walk(t->r) * 2 : 1; }
int main(void) {
    int zero = 4, n = 0;
    char s[] = "abc";
    struct tree pool[20], root;
    printf("%d %d %d\n", even(10), odd(7), ack(2, 3));
    printf("%d\n", depth(5, &zero));
    perm(s, 0);
    root = build(0, 10, pool, &n);
    printf("%d %d\n", walk(&root), n);
    return 0;
}
