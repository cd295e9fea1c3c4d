#define BUG
#include "filled-one-after-the-other.c"
