// Two calls of one function are told apart.
// must prove: interval eva-basic eva-refiner oadlSep
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);
int twice(int a) { return a + a; }
int main(void) { int a = twice(3), b = twice(50); if (a != 6 || b != 100) reach_error(); return 0; }
