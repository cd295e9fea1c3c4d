// Signed arithmetic wraps.
// must prove: interval eva-basic oadlSep
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);
int main(void) { int x = 2147483647; x = x + 1; if (x >= 0) reach_error(); return 0; }
