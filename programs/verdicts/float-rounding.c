// Float rounding.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern void __VERIFIER_assume(int);
extern float __VERIFIER_nondet_float(void);
int main(void)
{
    float x = __VERIFIER_nondet_float();
    __VERIFIER_assume(x > 0.0f && x < 1.0f);
    CHECK(x + 16777216.0f != 16777216.0f);
    return 0;
}
