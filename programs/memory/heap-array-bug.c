/* A loop that goes one element too far. */
#define BUG
#include "heap-array.c"
