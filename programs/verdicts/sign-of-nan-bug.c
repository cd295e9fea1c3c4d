// The NaN of a constant has no sign.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <math.h>

int main(void) {
  CHECK(signbit(NAN));
  return 0;
}
