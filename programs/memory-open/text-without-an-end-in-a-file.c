/* A text that does not end is written to a file. */
#include <stdio.h>
int main(void)
{
  char text[2] = {'a', 'b'};
  FILE *file = fopen("text", "w");
  if (file)
    fprintf(file, "%s", text);
  return 0;
}
