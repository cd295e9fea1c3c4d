// A descending counter ends at zero.
// must prove: interval octagon
// must not prove: eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 1000) return 0; int i = n; while (i > 0) i--; if (i != 0) reach_error(); return 0; }
