/* Pointers: arithmetic, comparison, arrays of arrays, void, casts to integers and back. */
#include <stdio.h>
#include <stddef.h>
struct node { int v; struct node *next; };
static int grid[3][4];
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static int sum(int n, int m, int a[n][m]) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += a[i][j]; return s; }
int main(void) {
    int a[10], *p = a, *q = a + 10;
    for (int i = 0; i < 10; i++) a[i] = i * i;
    printf("%d %d %d\n", (int)(q - p), p < q, p + 10 == q);
    p += 3; p -= 1; p++; 
    printf("%d %d %d %d\n", *p, p[-1], 2[p], *(q - 1));
    swap(&a[0], &a[9]);
    printf("%d %d\n", a[0], a[9]);
    int (*row)[4] = grid;
    row[1][2] = 5; (*++row)[3] = 6; grid[2][0] = (int)(&grid[2][0] - &grid[0][0]);
    printf("%d %d %d\n", grid[1][2], grid[1][3], grid[2][0]);
    printf("%d %d\n", sum(3, 4, grid), (int)(sizeof grid / sizeof *grid));
    struct node n3 = {3, 0}, n2 = {2, &n3}, n1 = {1, &n2}, *it;
    int s = 0;
    for (it = &n1; it; it = it->next) s = s * 10 + it->v;
    n1.next->next->v = 9;
    printf("%d %d %d\n", s, n3.v, (int)offsetof(struct node, next));
    unsigned char *bytes = (unsigned char *)&s;
    printf("%d %d\n", bytes[0], bytes[1]);
    unsigned long num = (unsigned long)&a[2];
    printf("%d\n", *(int *)num);
    void *v = &a[4]; char *c = v; c += sizeof(int);
    printf("%d %d\n", *(int *)v, *(int *)c);
    int **pp = &p; **pp = 77; *pp = a;
    printf("%d %d\n", *p, p == &a[0]);
    const char *str = "text"; printf("%c%c %s\n", *str, str[3], str + 1);
    printf("%d\n", "abc"[1] + *"z");
    int i = 2, m[i][3]; m[1][2] = 8; printf("%d %d\n", m[1][2], (int)sizeof m);
    return !p;
}
