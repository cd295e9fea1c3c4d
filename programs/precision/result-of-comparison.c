// A truth value is zero or one.
// must prove: interval octagon
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); int t = (x > 3); if (t != 0 && t != 1) reach_error(); return 0; }
