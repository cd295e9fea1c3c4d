/* The violation comes before what is not supported. */
void reach_error(void);
#include <unistd.h>
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned input = __VERIFIER_nondet_uint();
  if (input == 7)
    reach_error();
  fork();
  return 0;
}
