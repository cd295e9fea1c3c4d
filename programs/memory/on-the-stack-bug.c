/* An array of variable length, one element too far. */
#define BUG
#include "on-the-stack.c"
