// What one variable loses two others gain: a relation of three.
// must prove: polyhedra
// must not prove: interval octagon
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int left = 300, a = 0, b = 0;
  while (left > 0) { left--; if (__VERIFIER_nondet_int()) a++; else b++; }
  if (a + b != 300) reach_error(); return 0; }
