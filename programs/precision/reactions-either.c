// As reactions.c, with conditions that hold in one of several ways.
// must prove: classes
// must not prove: eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int mode = 1; int level = 130;
void react(int input) {
  if (input == 1 && ((mode == 1 && level <= 140) || (mode == 4 && level <= 20))) { level = level * 7 % 299926 + 300100; mode = 2; }
  else if (input == 2 && ((mode == 1 && level > 5000) || (mode == 2 && (level > 140 || level < -140)))) { level = level % 50077 - 600000; mode = 3; }
  else if (mode == 2 && input == 3 && level > 140) { level = level * 3 % 299926 + 300150; }
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
