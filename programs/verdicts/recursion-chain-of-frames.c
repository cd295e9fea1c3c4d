/* Each activation has its own record; the innermost one writes to that of the outermost. */
extern void reach_error(void);

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
  if (own.depth != depth || own.written != (depth == 0 ? 7 : 0) || activations != 3)
    reach_error();
}

int main(void) {
  walk(0, 0);
  return 0;
}
