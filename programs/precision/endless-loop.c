// Behind a loop that never ends nothing is reached.
// must prove: interval octagon eva-refiner oadlWidening
extern void reach_error(void);
int main(void) { unsigned x = 0; while (1) { x++; } reach_error(); return 0; }
