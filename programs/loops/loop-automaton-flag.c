// States of an automaton and a flag: the invariant is a disjunction.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int state = 1, seen = 0;
  while (__VERIFIER_nondet_int()) {
    if (state == 1) {
      if (seen) {
        reach_error();
      }
      state = 2;
      seen = 1;
    } else if (state == 2) {
      state = 3;
    } else if (state == 3) {
      state = 2;
    }
  }
  return 0;
}
