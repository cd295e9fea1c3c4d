/* The quotient does not fit its type: x86 traps, and nothing comes after that. */
extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);
extern void reach_error(void);

int main(void) {
  int min = -2147483647 - 1, by = __VERIFIER_nondet_int();
  long wide_min = -9223372036854775807L - 1, wide_by = __VERIFIER_nondet_long();
  if (by == -1) {
    int kind = __VERIFIER_nondet_int();
    if (kind)
      min = min / by;
    else
      min %= by;
    reach_error();
  }
  if (wide_by == -1) {
    if (__VERIFIER_nondet_int())
      wide_min /= wide_by;
    else
      wide_min = wide_min % wide_by;
    reach_error();
  }
  return 0;
}
