/* Zero is passed. */
#define LEAST 0
#include "recursion-divisor.c"
