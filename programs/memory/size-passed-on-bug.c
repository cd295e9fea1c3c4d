/* A function that is given an array of any size, and a size that is too large by one. */
#define SIZE
#include "size-passed-on.c"
