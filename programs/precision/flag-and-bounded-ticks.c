// Listing 2.1 of the octagon thesis with the bounded loop.
// must prove: interval octagon oadlSep oadlWidening oadl-refiner
// must not prove: eva-basic eva-refiner
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int flag = __VERIFIER_nondet_int(); int ticks = 0;
  while (ticks < 100) { ticks = ticks + 1; }
  if (flag <= 0) { return 0; } if (flag > 0) { return 0; }
  reach_error(); return 0; }
