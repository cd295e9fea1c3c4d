// A variable without a value has any.
// must not prove: interval octagon eva-basic eva-refiner oadlSep all
extern void reach_error(void);
int main(void) { int x; if (x == 5) reach_error(); return 0; }
