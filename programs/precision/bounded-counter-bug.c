// The loop runs once more than the condition expects.
// must not prove: interval octagon eva-basic eva-refiner oadlSep oadlWidening oadl-refiner all
extern void reach_error(void);
int main(void) { int i = 0; while (i <= 100) i++; if (i != 100) reach_error(); return 0; }
