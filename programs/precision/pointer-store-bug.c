// A store through a pointer changes what it points to.
// must not prove: interval octagon eva-basic eva-refiner oadlSep all
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = 1, y = 1; int *p = __VERIFIER_nondet_int() ? &x : &y; *p = 5; if (x == 5) reach_error(); return 0; }
