// Struct array.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
struct s {
    int k;
    int v;
};
struct s t[4];
int main(void)
{
    for (int i = 0; i < 4; i++) {
        t[i].k = i;
        t[i].v = __VERIFIER_nondet_int();
    } unsigned j = __VERIFIER_nondet_uint();
    __VERIFIER_assume(j < 4);
    CHECK(t[j].k == (int)j);
    return 0;
}
