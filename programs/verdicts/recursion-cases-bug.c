/* A hundred and two gives 92. */
#define LAST 102
#include "recursion-cases.c"
