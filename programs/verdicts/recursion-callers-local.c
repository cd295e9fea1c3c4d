/* An inner activation writes the local of the outer one and leaves its own as it is. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void f(int inner, int *p) {
  int local = 10;
  if (inner) {
    *p = __VERIFIER_nondet_int();
    if (p == &local || local != 10)
      reach_error();
    *p = 20;
    return;
  }
  f(1, &local);
  if (local != 20)
    reach_error();
}

int main(void) {
  f(0, 0);
  return 0;
}
