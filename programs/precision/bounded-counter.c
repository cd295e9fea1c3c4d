// A loop to a constant bound: unrolled by states kept apart, bounded by intervals with thresholds.
// must prove: interval octagon eva-basic oadlSep octagon-widening
// must not prove: congruence
extern void reach_error(void);
int main(void) { int i = 0; while (i < 100) i++; if (i != 100) reach_error(); return 0; }
