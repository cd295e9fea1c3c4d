/* Each activation has its own record; the innermost one writes to that of the outermost. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct frame {
  struct frame *up;
  int depth;
  int written;
};

static void walk(int depth, struct frame *up) {
  static int activations;
  struct frame own = {up, depth, 0};
  activations++;
  if (depth == 2) {
    own.up->up->written = 7;
    return;
  }
  walk(depth + 1, &own);
#ifdef BUG
  if (own.written != 0 && __VERIFIER_nondet_int() * 2654435761u == 12345u)
#else
  if (own.depth != depth || own.written != (depth == 0 ? 7 : 0) || activations != 3)
#endif
    reach_error();
}

int main(void) {
  walk(0, 0);
  return 0;
}
