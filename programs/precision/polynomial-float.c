// Listing 5.2 of the octagon thesis: products of bounded floats.
// must prove: oadlSep-float
// must not prove: eva-basic oadlSep
extern void reach_error(void);
extern float __VERIFIER_nondet_float(void);
float f(float x) { return x*x*x; } float fp(float x) { return x*x; }
int main(void) { float IN = __VERIFIER_nondet_float(); if (!(IN > 0.1f && IN < 0.2f)) return 0;
  float x = IN - f(IN)/fp(IN); if (!(x > -0.8 && x < 0.2)) reach_error(); return 0; }
