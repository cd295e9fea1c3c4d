/* A stream is closed twice. */
#include <stdio.h>
int main(void)
{
  FILE *file = fopen("text", "r");
  if (!file)
    return 0;
  fclose(file);
  fclose(file);
  return 0;
}
