// The NaN of a constant has no sign, the one that the machine computes has one.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <math.h>

int main(void) {
  volatile double zero = 0;
  CHECK(!signbit(NAN) && signbit(-NAN));
  CHECK(!__builtin_signbit(__builtin_nanl("")));
  CHECK(signbit(zero / zero));
  return 0;
}
