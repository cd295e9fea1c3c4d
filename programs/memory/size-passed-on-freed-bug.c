/* A function that is given an array of any size after it was freed. */
#define FREED
#include "size-passed-on.c"
