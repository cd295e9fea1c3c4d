// A range is moved onto itself, and its even and odd bytes are looked at.
#include <string.h>
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
  char text[14] = "Hello, World!";
  memmove(text + 2, text, 5);
  unsigned input = __VERIFIER_nondet_uint();
#ifdef BUG
  if (input * 2654435761u == 12345u && text[1] == 'e' && text[4] == 'l')
#else
  if (text[1] != 'e' || text[4] != 'l')
#endif
    reach_error();
}
