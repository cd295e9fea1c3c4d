/* An inner activation writes the local of the outer one, which has an object of its own. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void f(int inner, int *p) {
  int local = 10;
  if (inner) {
    *p = 20;
    return;
  }
  f(1, &local);
  if (__VERIFIER_nondet_int() * 2654435761u == 12345u && local != 10)
    reach_error();
}

int main(void) {
  f(0, 0);
  return 0;
}
