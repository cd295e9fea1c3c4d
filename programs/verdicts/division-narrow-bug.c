/* Narrow integers are promoted: their quotients fit. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  short x = -32768;
  short by = __VERIFIER_nondet_int();
  if (by == -1 && x / by == 32768)
    reach_error();
  return 0;
}
