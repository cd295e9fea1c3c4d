// The loop needs an equation between three variables.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 1000) {
    return 0;
  }
  int a = n, i = 0;
  while (i < n) {
    a = a + 1;
    i = i + 1;
  }
  if (a != 2 * n) {
    reach_error();
  }
  return 0;
}
