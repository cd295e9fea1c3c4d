// The third gain is lost.
// must not prove: interval octagon polyhedra all
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int left = 300, a = 0, b = 0;
  while (left > 0) { left--; if (__VERIFIER_nondet_int()) a++; else if (left != 7) b++; }
  if (a + b != 300) reach_error(); return 0; }
