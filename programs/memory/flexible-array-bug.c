/* The element behind the last one is written. */
#define BUG
#include "flexible-array.c"
