// Null ends.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int v = 3, *p = __VERIFIER_nondet_int()? &v : 0;
    int r = *p;
    CHECK(p != 0 && r == 3);
    return 0;
}
