/* What realloc adds holds anything. */
#define BUG
#include "memory-that-grows.c"
