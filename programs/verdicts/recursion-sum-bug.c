/* The sum begins with one. */
#define FIRST 1
#include "recursion-sum.c"
