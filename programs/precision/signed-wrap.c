// Signed arithmetic wraps.
// must prove: interval eva-basic oadlSep
extern void reach_error(void);
int main(void) { int x = 2147483647; x = x + 1; if (x >= 0) reach_error(); return 0; }
