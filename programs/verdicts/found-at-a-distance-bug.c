// The character may be missing.
#define BUG
#include "found-at-a-distance.c"
