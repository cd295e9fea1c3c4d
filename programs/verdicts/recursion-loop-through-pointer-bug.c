/* A loop in the inner activation counts in the local of the outer one. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void f(int inner, int *p) {
  int local = 10;
  if (inner) {
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
      if (*p < 15)
        *p = *p + 1;
    if (local != 10)
      reach_error();
    return;
  }
  f(1, &local);
  if (local == 15)
    reach_error();
}

int main(void) {
  f(0, 0);
  return 0;
}
