// Two counters move together: needs a relation.
// must prove: octagon all octagon-widening
// must not prove: interval eva-basic eva-refiner
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = 0, y = 0, n = __VERIFIER_nondet_int();
  while (x < n) { x++; y++; } if (x != y) reach_error(); return 0; }
