// A conversion to a byte is one of 256 values.
// must prove: interval octagon oadlSep
// must not prove: eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); unsigned char c = x; if (c > 255 || c < 0) reach_error(); return 0; }
