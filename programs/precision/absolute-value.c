// Listing 5.1 of the octagon thesis with integers: |x| bounds x on both sides.
// must prove: octagon oadlSep
// must not prove: interval eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x < -1000) return 0; int y = x; if (y < 0) { y = -y; }
  if (y <= 69) { if (x < -70 || x > 70) { reach_error(); } } return 0; }
