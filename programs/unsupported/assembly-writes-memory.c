#include <assert.h>
int value;
int main(void) {
  int *pointer = &value;
  __asm__ volatile("movl $1, (%0)" : : "r"(pointer) : "memory");
  assert(value == 0);
  return 0;
}
