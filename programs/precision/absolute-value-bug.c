// Without the bound the least integer has no absolute value.
// must not prove: octagon oadlSep interval all
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); int y = x; if (y < 0) { y = -y; }
  if (y <= 69) { if (x < -70 || x > 70) { reach_error(); } } return 0; }
