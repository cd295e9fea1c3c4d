// Division keeps the order.
// must prove: interval oadlSep
// must not prove: eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x < 0 || x > 100) return 0; if (x / 2 > 50) reach_error(); return 0; }
