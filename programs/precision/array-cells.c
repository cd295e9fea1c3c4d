// Cells with known index are variables.
// must prove: interval eva-basic eva-refiner oadlSep
extern void reach_error(void);
int main(void) { int a[3]; a[0] = 1; a[1] = 2; a[2] = a[0] + a[1]; if (a[2] != 3) reach_error(); return 0; }
