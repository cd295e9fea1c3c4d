// Fields are variables.
// must prove: interval eva-basic eva-refiner oadlSep
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);
struct pair { int low; int high; };
int main(void) { struct pair p; p.low = 1; p.high = p.low + 4; if (p.high - p.low != 4) reach_error(); return 0; }
