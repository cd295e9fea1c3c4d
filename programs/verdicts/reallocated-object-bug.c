// An object keeps its contents when realloc moves it, or leaves it where it is.
#define BUG
#include "reallocated-object.c"
