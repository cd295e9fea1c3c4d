// An inner loop to the outer counter.
// must prove: interval octagon eva-basic
extern void reach_error(void);
int main(void) { int i, j, worst = 0; for (i = 0; i < 10; i++) for (j = 0; j < i; j++) if (j >= 10) reach_error(); return 0; }
