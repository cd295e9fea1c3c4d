/* Calls through pointers: tables, callbacks, members, returned pointers, compatible types. */
#include <stdio.h>
#include <string.h>
typedef int (*op)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static unsigned mul(unsigned a, unsigned b) { return a * b; }
static void say(const char *s) { printf("say %s\n", s); }
static int twice(int (*f)(int), int x) { return f(f(x)); }
static int inc(int x) { return x + 1; }
static op choose(int k) { return k ? add : sub; }
struct vtable { op f; void (*g)(const char *); struct point { int x; } (*h)(int); };
static struct point mk(int x) { struct point p = {x}; return p; }
static struct vtable vt = {sub, say, mk};
static op table[] = {add, sub, (op)mul};
int main(void) {
    for (int i = 0; i < 3; i++) printf("%d ", table[i](6, 3));
    printf("\n%d %d\n", choose(0)(5, 1), (*choose(1))(5, 1));
    printf("%d\n", twice(inc, 5));
    vt.g("hello");
    printf("%d %d\n", vt.f(1, 2), vt.h(9).x);
    void (*old)() = (void (*)())say;
    old("old style");
    op same = add;
    printf("%d %d\n", same == table[0], same != sub);
    void *(*copy)(void *, const void *, unsigned long) = memcpy;
    char buf[4];
    copy(buf, "xyz", 4);
    printf("%s\n", buf);
    int (*print)(const char *) = puts;
    print("puts");
    unsigned long (*len)(const char *) = strlen;
    printf("%d\n", (int)len("four"));
    return 0;
}
