// A remainder is smaller than the divisor.
// must prove: interval scalar
// must not prove: eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); int r = x % 10; if (r >= 10 || r <= -10) reach_error(); return 0; }
