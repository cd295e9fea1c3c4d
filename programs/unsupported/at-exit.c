/* The assertion is behind the end of `main`. */
#include <assert.h>
#include <stdlib.h>
void last(void) { assert(0); }
int main(void) {
  atexit(last);
  return 0;
}
