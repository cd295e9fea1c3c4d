// Two ways through the loop, with different slopes: the hull is the wedge between two lines.
// must prove: polyhedra
// must not prove: interval octagon
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = 0, y = 0;
  while (x < 1000) { if (__VERIFIER_nondet_int()) { x++; y += 3; } else { x++; y++; } }
  if (y > 3 * x || y < x) reach_error(); return 0; }
