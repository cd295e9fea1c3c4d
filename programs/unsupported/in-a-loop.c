#include <assert.h>
#include <unistd.h>
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned bound = __VERIFIER_nondet_uint();
  for (unsigned at = 0; at < bound && at < 2000; at++)
    if (at == 1000) {
      fork();
      assert(0);
    }
  return 0;
}
