/* One input of four thousand million leads there. */
#include <assert.h>
#include <unistd.h>
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned input = __VERIFIER_nondet_uint();
  if (input * 2654435761u == 12345u) {
    fork();
    assert(0);
  }
  return 0;
}
