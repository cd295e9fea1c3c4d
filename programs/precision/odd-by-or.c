// The lowest bit is set.
// must prove: scalar all
// must not prove: interval octagon eva-basic
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) { unsigned x = __VERIFIER_nondet_uint(); x |= 1; if ((x & 1) == 0) reach_error(); return 0; }
