/* A compiler may clear the bits between fields, or leave them as they are. */
#include <string.h>
extern void reach_error(void);
int main(void)
{
  struct {
    unsigned first : 5;
    unsigned char : 2;
    unsigned last : 3;
  } record = {.last = 5, .first = 17};
  unsigned bits;
  memcpy(&bits, &record, sizeof bits);
  if (bits != (5 << 7 | 17))
    reach_error();
}
