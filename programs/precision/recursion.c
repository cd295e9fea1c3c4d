// The locals of the outer activations are not known after the recursive call; a proof needs them.
// must not prove: interval eva-basic oadlSep
extern void reach_error(void);
int factorial(int n) { if (n <= 1) return 1; return n * factorial(n - 1); }
int main(void) { if (factorial(5) != 120) reach_error(); return 0; }
