// An output of empty assembly that begins with the value of another one.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int a = __VERIFIER_nondet_int(), b = 1;
  asm("" : "=r"(b) : "0"(a));
  CHECK(b == 1);
  return 0;
}
