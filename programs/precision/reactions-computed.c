// As reactions.c, but what is compared with constants is computed: where a level must be told from another only follows from
// executions that turn out to be impossible.
// must prove: classes
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int mode = 1; int level = 130;
void react(int input) {
  if (mode == 1 && input == 1) { level = level % 3000 + 300100; mode = 2; }
  else if (mode == 2 && input == 2) { level = level % 5007 - 60000; mode = 3; }
  else if (mode == 2 && input == 3) { level = level % 2999 + 300150; }
  else if (mode == 3 && input != 1) { level = level / 5 + 120; mode = 1; }
  if (mode == 2 && level / 2 - 75000 < 0) reach_error();
  if (mode == 3 && level * 2 + 80000 > 0) reach_error();
}
int main(void) {
  while (1) {
    int input = __VERIFIER_nondet_int();
    if (input != 1 && input != 2 && input != 3) return 0;
    react(input);
  }
}
