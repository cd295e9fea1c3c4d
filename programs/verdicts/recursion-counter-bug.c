/* The counter goes in twos. */
#define STEP 2
#include "recursion-counter.c"
