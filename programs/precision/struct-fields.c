// Fields are variables.
// must prove: interval eva-basic eva-refiner oadlSep
extern void reach_error(void);
struct pair { int low; int high; };
int main(void) { struct pair p; p.low = 1; p.high = p.low + 4; if (p.high - p.low != 4) reach_error(); return 0; }
