// Three bits hold numbers below eight.
// must prove: interval scalar octagon
// must not prove: eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); int y = x & 7; if (y > 7 || y < 0) reach_error(); return 0; }
