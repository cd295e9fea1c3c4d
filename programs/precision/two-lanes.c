// One counter is always twice the other: an affine equality, no octagon.
// must prove: affine all
// must not prove: octagon interval eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { unsigned x = 0, y = 0; while (__VERIFIER_nondet_int()) { x += 1; y += 2; } if (y != 2 * x) reach_error(); return 0; }
