// The address of a function is a value.
// must prove: eva-basic eva-refiner
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);
int one(void) { return 1; } int two(void) { return 2; }
int main(void) { int (*f)(void) = one; if (f() != 1) reach_error(); return 0; }
