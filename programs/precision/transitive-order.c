// x <= y <= z.
// must prove: octagon oadlSep
// must not prove: interval eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
  if (x > y) return 0; if (y > z) return 0; if (x > z) reach_error(); return 0; }
