#include <assert.h>
int main(void) {
  __asm__ goto("jmp %l0" : : : : out);
  return 0;
out:
  assert(0);
  return 0;
}
