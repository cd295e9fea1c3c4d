/* The argument is looked at. */
#define BUG
#include "argument-or-literal.c"
