/* The variable does not keep its first value. */
#define BUG
#include "alias-of-variable.c"
