/* As recursion-chain-of-frames, but the record of the outermost activation is said to be untouched. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct frame {
  struct frame *up;
  int depth;
  int written;
};

static void walk(int depth, struct frame *up) {
  struct frame own = {up, depth, 0};
  if (depth == 2) {
    own.up->up->written = 7;
    return;
  }
  walk(depth + 1, &own);
  if (own.written != 0 && __VERIFIER_nondet_int() * 2654435761u == 12345u)
    reach_error();
}

int main(void) {
  walk(0, 0);
  return 0;
}
