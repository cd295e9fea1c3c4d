// A lock is taken and released in turn.
// must prove: eva-refiner eva-basic oadl-refiner
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int lock = 0; void acquire(void) { if (lock) reach_error(); lock = 1; } void release(void) { if (!lock) reach_error(); lock = 0; }
int main(void) { while (__VERIFIER_nondet_int()) { acquire(); release(); } return 0; }
