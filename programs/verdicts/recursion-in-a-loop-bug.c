/* Results may be negative. */
#define LEAST -1
#include "recursion-in-a-loop.c"
