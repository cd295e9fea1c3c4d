// A loop with two entries of which one can never be taken: which of them is its head depends on whether that is known.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  int i = 0, j = 0;
  if (i >= n)
    return 0;
  if (j > 3)
    goto inside;
  goto body;
inside:
  if (n - 1 - i < 0)
    reach_error();
body:
  j = j + 1;
test:
  if (j < 8)
    goto inside;
  i = i + 1;
  if (i < n) {
    j = 0;
    goto test;
  }
  return 0;
}
