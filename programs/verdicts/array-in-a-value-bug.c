// An array in the value of an expression keeps what the variable was.
#define BUG
#include "array-in-a-value.c"
