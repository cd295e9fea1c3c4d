// Listing 2.1 of the octagon thesis: an unbounded counter that does not matter, and a flag that needs its sign.
// must prove: interval octagon oadlWidening oadl-refiner octagon-widening
// must not prove: eva-basic eva-refiner oadlSep
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int flag = __VERIFIER_nondet_int(); int ticks = 0;
  while (!__VERIFIER_nondet_int()) { ticks = ticks + 1; }
  if (flag <= 0) { return 0; } if (flag > 0) { return 0; }
  reach_error(); return 0; }
