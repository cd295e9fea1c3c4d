// A store to an unknown cell may hit this one.
// must not prove: interval octagon eva-basic eva-refiner oadlSep all
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int a[2]; a[0] = 1; a[1] = 1; int i = __VERIFIER_nondet_int(); if (i < 0 || i > 1) return 0;
  a[i] = 7; if (a[0] == 7) reach_error(); return 0; }
