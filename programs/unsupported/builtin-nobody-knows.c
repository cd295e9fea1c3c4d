/* What a builtin of compilers without a meaning here returns is not any value. */
#include <assert.h>
double __builtin_powi(double, int);
int main(void) {
  assert(__builtin_powi(2.0, 2) == 4.0);
  return 0;
}
