/* malloc and its kin, strings, memory functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct list { int v; struct list *next; };
static struct list *push(struct list *l, int v) { struct list *n = malloc(sizeof *n); n->v = v; n->next = l; return n; }
int main(void) {
    struct list *l = 0;
    for (int i = 0; i < 5; i++) l = push(l, i);
    while (l) { struct list *n = l->next; printf("%d ", l->v); free(l); l = n; }
    int *a = calloc(4, sizeof(int));
    a[1] = 5;
    a = realloc(a, 8 * sizeof(int));
    printf("%d %d\n", a[0], a[1]);
    free(a); free(0);
    char buf[32], *s = strdup("hello");
    strcpy(buf, s); strcat(buf, ", "); strncat(buf, "worldwide", 5);
    printf("%s %d\n", buf, (int)strlen(buf));
    printf("%d %d %d\n", strcmp("a", "b") < 0, strcmp("b", "a") > 0, strncmp("abc", "abd", 2));
    printf("%s %s %d\n", strchr(buf, 'w'), strrchr(buf, 'l'), strchr(buf, 'q') == 0);
    memset(buf, 'x', 5); memmove(buf + 2, buf, 10); memcpy(buf, "AB", 2);
    printf("%s\n", buf);
    strncpy(buf, "hi", 6);
    printf("%s %d %d\n", buf, buf[5], memcmp("abc", "abd", 3) < 0);
    printf("%s %d\n", strstr("haystack", "st"), atoi(" -42x"));
    printf("%d %ld %d\n", abs(-5), labs(-6L), (int)strspn("aab", "a"));
    char *t = __builtin_alloca(4);
    t[3] = 1;
    free(s);
    return t[3];
}
