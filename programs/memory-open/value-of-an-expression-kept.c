/* An array in the value of a call is gone when the expression is. */
#define KEPT
#include "../memory/array-in-a-value.c"
