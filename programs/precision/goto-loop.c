// A loop made of jumps.
// must prove: interval octagon eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);
int main(void) { int i = 0; again: i++; if (i < 20) goto again; if (i != 20) reach_error(); return 0; }
