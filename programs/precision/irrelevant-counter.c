// Only the flag matters: refinement does not track the counter.
// must prove: eva-refiner oadl-refiner interval
// must not prove: eva-basic oadlSep
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int flag = 0; int count = 0; while (__VERIFIER_nondet_int()) { count++; if (flag) reach_error(); } return 0; }
