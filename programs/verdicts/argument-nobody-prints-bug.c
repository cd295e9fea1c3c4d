// Arguments that a format has no place for are evaluated.
#define USE(x) printf("nothing\n", x)
#include "argument-nobody-takes-bug.c"
