// Listing 5.1 of the octagon thesis, for numbers (what is no number compares with nothing).
// must prove: octagon oadlSep-float
// must not prove: eva-basic oadlSep
extern void reach_error(void);
extern float __VERIFIER_nondet_float(void);
int main(void) { float x = __VERIFIER_nondet_float(); if (x != x) return 0; float y = x; if (y < 0) { y = -y; }
  if (y <= 69) { if (x < -70 || x > 70) { reach_error(); } } return 0; }
