// A `switch` without cases, whose value does not overflow.
#define USE(x) switch (x) { default: break; }
#define NEXT(x) ((x) / 2 + 1)
#include "argument-nobody-takes-bug.c"
