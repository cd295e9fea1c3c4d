// A `switch` evaluates its value, also if there are no cases.
#define USE(x) switch (x) { default: break; }
#include "argument-nobody-takes-bug.c"
