// Every quotient of the smallest integer but one is an integer.
#define DIVIDEND (INT_MIN + 1)
#include "quotient-too-large-bug.c"
