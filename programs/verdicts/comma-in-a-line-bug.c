#define LAST 3
#include "comma-in-a-line.c"
