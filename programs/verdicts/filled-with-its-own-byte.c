// A fill overwrites what its byte was computed from.
#include <string.h>
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

struct record {
  int first;
  int second;
  int third;
};

int main(void)
{
  struct record record = {1, 2, 3};
  memset(&record, record.first + record.second, sizeof record);
  unsigned input = __VERIFIER_nondet_uint();
#ifdef BUG
  if (input * 2654435761u == 12345u && record.third == 0x03030303)
#else
  if (input * 2654435761u == 12345u && (record.second != 0x03030303 || record.third != 0x03030303))
#endif
    reach_error();
}
