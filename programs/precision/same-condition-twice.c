// What was assigned in a branch is known in the same branch later: states kept apart.
// must prove: oadlSep octagon-widening
// must not prove: interval octagon eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int c = __VERIFIER_nondet_int(), x; if (c > 5) x = 1; else x = 2; if (c > 5 && x != 1) reach_error(); return 0; }
