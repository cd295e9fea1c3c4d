// A loop made of jumps.
// must prove: interval octagon eva-basic
extern void reach_error(void);
int main(void) { int i = 0; again: i++; if (i < 20) goto again; if (i != 20) reach_error(); return 0; }
