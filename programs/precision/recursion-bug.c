// The locals of another activation are other variables.
// must not prove: interval octagon eva-basic eva-refiner oadlSep all
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int last(int n) { int mine = n; if (n > 0) last(n - 1); return mine; }
int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 3) return 0; if (last(n) == 2) reach_error(); return 0; }
