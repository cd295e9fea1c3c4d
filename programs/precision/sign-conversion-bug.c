// A negative number becomes a large one.
// must not prove: interval octagon eva-basic oadlSep all
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); unsigned u = x; if (u > 4000000000u) reach_error(); return 0; }
