/* The cap itself is reached. */
#define NOT_REACHED 5
#include "recursion-capped.c"
