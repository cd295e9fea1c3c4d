/* The last call counts too. */
#define BUG
#include "nested-counter.c"
