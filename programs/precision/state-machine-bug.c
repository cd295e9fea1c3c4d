// One transition leaves the known states.
// must not prove: interval octagon eva-basic eva-refiner oadlSep all
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int s = 0; while (1) { switch (s) { case 0: s = __VERIFIER_nondet_int() ? 1 : 2; break; case 1: s = 4; break;
  case 2: s = 0; break; default: reach_error(); } } return 0; }
