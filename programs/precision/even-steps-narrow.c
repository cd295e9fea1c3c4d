// The same in eight bits.
// must prove: scalar all eva-basic
// must not prove: interval
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { unsigned char i = 0; while (__VERIFIER_nondet_int()) i += 2; if (i % 2 != 0) reach_error(); return 0; }
