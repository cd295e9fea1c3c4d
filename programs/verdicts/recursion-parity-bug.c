/* Of numbers that four does not divide, only the odd ones leave one. */
#define REST (n % 4 != 0)
#include "recursion-parity.c"
