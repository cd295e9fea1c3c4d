/* GNU statement expressions, labels as values, local labels, typeof. */
#include <stdio.h>
#define max(a, b) ({ typeof(a) _a = (a); typeof(b) _b = (b); _a > _b ? _a : _b; })
struct s { int a, b; };
static int run(const int *code) {
    static void *const ops[] = {&&push, &&add, &&neg, &&stop};
    int stack[8], sp = 0;
    goto *ops[*code++];
push: stack[sp++] = *code++; goto *ops[*code++];
add: sp--; stack[sp - 1] += stack[sp]; goto *ops[*code++];
neg: stack[sp - 1] = -stack[sp - 1]; goto *ops[*code++];
stop: return stack[0];
}
int main(void) {
    int x = 3, y = ({ int t = x; t *= 2; t + 1; });
    printf("%d %d\n", y, max(x++, 5 + y));
    struct s v = ({ struct s t = {1, 2}; t.a += 10; t; });
    printf("%d %d\n", v.a, ({ struct s w = v; w; }).b);
    int code[] = {0, 5, 0, 7, 1, 2, 3};
    printf("%d\n", run(code));
    void *where = x ? &&there : &&here;
    goto *where;
here: printf("here\n");
there: printf("there\n");
    ({ __label__ in; if (x > 100) goto in; x = 50; in: x++; });
    printf("%d\n", x);
    for (int i = 0; i < 5; i++) { int r = ({ if (i == 2) continue; i * 2; }); printf("%d ", r); }
    printf("%d\n", ({ ; 4; }) + ({ int *p = &x; *p; }));
    return 0;
}
