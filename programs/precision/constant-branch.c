// Known values decide the branch.
// must prove: interval octagon eva-basic eva-refiner oadlSep oadlWidening oadl-refiner
extern void reach_error(void);
int main(void) { int x = 3; if (x == 4) reach_error(); return 0; }
