// Steps of two keep a number even, also when it wraps around.
// must prove: scalar all
// must not prove: interval octagon
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { unsigned i = 0; while (__VERIFIER_nondet_int()) i += 2; if (i % 2 != 0) reach_error(); return 0; }
