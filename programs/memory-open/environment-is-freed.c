/* The text of an environment variable is not the program's to free. */
#include <stdlib.h>
int main(void)
{
  free(getenv("HOME"));
  return 0;
}
