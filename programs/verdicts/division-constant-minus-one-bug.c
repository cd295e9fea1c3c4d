/* A divisor that is written as -1 is no division to the compiler: it negates, which wraps around. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < -2147483647 && x / -1 < 0 && x % -1 == 0)
    reach_error();
  return 0;
}
