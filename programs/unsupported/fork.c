/* Two processes go on, one of them with 0. */
#include <assert.h>
#include <unistd.h>
int main(void) {
  assert(fork() != 0);
  return 0;
}
