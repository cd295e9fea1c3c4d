// The address of a function is a value.
// must prove: eva-basic eva-refiner
extern void reach_error(void);
int one(void) { return 1; } int two(void) { return 2; }
int main(void) { int (*f)(void) = one; if (f() != 1) reach_error(); return 0; }
