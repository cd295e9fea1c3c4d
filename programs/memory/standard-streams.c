// The standard streams are always there.
#include <stdio.h>
int main(void)
{
  int c = fgetc(stdin);
  while (!feof(stdin) && c > 0)
    c = fgetc(stdin);
  fflush(stdout);
  fputc(c, stderr);
  return 0;
}
