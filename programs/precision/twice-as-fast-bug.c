// The faster counter makes one step too many.
// must not prove: interval octagon polyhedra all
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = 0, y = 0; while (y < 1000 && __VERIFIER_nondet_int()) { x += 2; y++; if (y == 9) x++; }
  if (x > 2 * y || x < 2 * y) reach_error(); return 0; }
