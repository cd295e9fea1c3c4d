// A flag that was cleared stays so while others are set.
// must prove: scalar all
// must not prove: interval octagon eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) { unsigned flags = __VERIFIER_nondet_uint(); flags &= ~4u; while (__VERIFIER_nondet_int()) flags |= 3; if (flags & 4) reach_error(); return 0; }
