// Behind a loop that never ends nothing is reached.
// must prove: interval octagon eva-refiner oadlWidening
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);
int main(void) { unsigned x = 0; while (1) { x++; } reach_error(); return 0; }
