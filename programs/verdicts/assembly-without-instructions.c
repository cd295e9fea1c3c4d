// Assembly with an empty template hands its values on unchanged.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);

static int hidden(int value) {
  asm volatile("" : "+r"(value));
  return value;
}

int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = a, d = b;
  CHECK(hidden(a) == a);
  asm("" : "=r"(a), [other] "=r"(b) : "0"(d), "[other]"(c));
  CHECK(a == d && b == c);
  int *p = &a;
  asm volatile("" : : "r"(p) : "memory");
  CHECK(*p == d);
  return 0;
}
