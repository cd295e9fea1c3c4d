/* A file that cannot be opened is read. */
#include <stdio.h>
int main(void)
{
  FILE *file = fopen("text", "r");
  return fgetc(file) == 'a';
}
