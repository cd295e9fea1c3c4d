// The inner counter stays below the outer one, whose bound is unknown: a relation.
// must prove: octagon
// must not prove: interval eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int n = __VERIFIER_nondet_int(); int i, j;
  for (i = 0; i < n; i++) for (j = 0; j < i; j++) if (j >= n) reach_error(); return 0; }
