// An argument that nobody takes, evaluated without an overflow.
#define NEXT(x) ((x) / 2 + 1)
#include "argument-nobody-takes-bug.c"
