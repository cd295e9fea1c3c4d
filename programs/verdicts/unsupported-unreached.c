/* What is not supported does no harm where no execution comes. */
void reach_error(void);
#include <unistd.h>
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned input = __VERIFIER_nondet_uint();
  if (input > 5 && input < 6)
    fork();
  if (input * 2 % 2 != 0)
    reach_error();
  return 0;
}
