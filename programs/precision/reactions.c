// A controller that only asks on which side of constants a level lies, and computes new levels from old ones: too many
// values to follow each, and none to widen to.
// must prove: classes
// must not prove: eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
#ifndef LIFT
#define LIFT 300150
#endif
#ifndef RISES
#define RISES mode == 1 && input == 1 && level <= 140
#define FALLS mode == 2 && input == 2 && level > 140
#endif
int mode = 1; int level = 130;
void react(int input) {
  if (RISES) { level = level * 7 % 299926 + 300100; mode = 2; }
  else if (FALLS) { level = level % 50077 - 600000; mode = 3; }
  else if (mode == 2 && input == 3 && level > 140) { level = level * 3 % 299926 + LIFT; }
  else if (mode == 3 && level <= -43) { level = level / 5 + 120; mode = 1; }
  if (mode == 3 && level > 140) reach_error();
  if (mode == 2 && level <= 140) reach_error();
}
int main(void) {
  while (1) {
    int input = __VERIFIER_nondet_int();
    if (input != 1 && input != 2 && input != 3) return 0;
    react(input);
  }
}
