// Steps of three reach every value of a type of 256 values: 3 and 256 have no common factor.
// must not prove: scalar all interval octagon eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { unsigned char i = 1; while (__VERIFIER_nondet_int()) i += 3; if (i == 0) reach_error(); return 0; }
