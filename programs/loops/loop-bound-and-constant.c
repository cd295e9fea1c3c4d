// The invariant x <= 100 && y == 42: interpolants that say what x is unroll the loop.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int x = 0, y = 42;
  while (__VERIFIER_nondet_int()) {
    if (x < 100) {
      x = x + 1;
    }
  }
  if (x > 100 || y != 42) {
    reach_error();
  }
  return 0;
}
