/* The remainder is zero, but the quotient that C defines it by does not fit. */
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  return x % -1;
}
