// Bounded sum bug.
#define BUG
#include "bounded-sum.c"
