/* What is written to is no stream. */
#include <stdio.h>
int main(void)
{
  fputc('a', (FILE *)"bytes");
  return 0;
}
