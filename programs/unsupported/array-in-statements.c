/* Of a variable in a statement expression gcc's code takes the array itself, not a copy. */
#include <assert.h>
struct record {
  int numbers[3];
} record = {{1, 2, 3}};
static int changed(const int *numbers) {
  record.numbers[0] = 7;
  return numbers[0];
}
int main(void) {
  assert(changed(({ record; }).numbers) == 1);
  return 0;
}
