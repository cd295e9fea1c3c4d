// Known values decide the branch.
// must prove: interval octagon eva-basic eva-refiner oadlSep oadlWidening oadl-refiner
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);
int main(void) { int x = 3; if (x == 4) reach_error(); return 0; }
