/* The parameter of a function is written by its second activation, two calls further in. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void g(int depth, int *p);

static void f(int depth, int *p) {
  if (depth == 1) {
    *p = 20;
    return;
  }
  g(depth + 1, &depth);
  if (__VERIFIER_nondet_int() * 2654435761u == 12345u && depth != 0)
    reach_error();
}

static void g(int depth, int *p) {
  f(depth, p);
}

int main(void) {
  f(0, 0);
  return 0;
}
