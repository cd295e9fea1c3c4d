// On one way the lock is not released.
// must not prove: interval octagon eva-basic eva-refiner oadlSep all
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int lock = 0; void acquire(void) { if (lock) reach_error(); lock = 1; } void release(void) { lock = 0; }
int main(void) { while (__VERIFIER_nondet_int()) { acquire(); if (__VERIFIER_nondet_int()) release(); } return 0; }
