// A bound of a sum and one of a summand bound the other.
// must prove: octagon oadlSep
// must not prove: interval eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
  if (x < 0 || x > 100 || y < 0 || y > 100) return 0; if (x + y > 10) return 0; if (x < 6) return 0; if (y > 4) reach_error(); return 0; }
