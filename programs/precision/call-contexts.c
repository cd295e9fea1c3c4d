// Two calls of one function are told apart.
// must prove: interval eva-basic eva-refiner oadlSep
extern void reach_error(void);
int twice(int a) { return a + a; }
int main(void) { int a = twice(3), b = twice(50); if (a != 6 || b != 100) reach_error(); return 0; }
