/* The assertion stands behind the call of a function that never comes back here. */
#include <assert.h>
#include <setjmp.h>
jmp_buf place;
int nested(int depth) {
  if (depth > 0)
    return nested(depth - 1);
  return setjmp(place);
}
int main(void) {
  int result = nested(3);
  assert(result != 0);
  return 0;
}
