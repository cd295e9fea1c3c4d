/* Where words have 32 bits a function divides numbers of 64, and does not trap. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  long long x = -9223372036854775807LL - 1, by = __VERIFIER_nondet_int();
  if (by == -1 && x / by == x && x % by == 0)
    reach_error();
  return 0;
}
