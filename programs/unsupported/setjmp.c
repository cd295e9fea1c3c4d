/* A jump back is not followed: whatever stands behind `setjmp` is not proved. */
#include <assert.h>
#include <setjmp.h>
jmp_buf place;
int main(void) {
  setjmp(place);
  assert(0);
  return 0;
}
