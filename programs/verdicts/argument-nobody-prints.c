// An argument that a format has no place for, evaluated without an overflow.
#define USE(x) printf("nothing\n", x)
#define NEXT(x) ((x) / 2 + 1)
#include "argument-nobody-takes-bug.c"
