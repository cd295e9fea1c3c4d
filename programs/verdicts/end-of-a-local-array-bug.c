// Pointers into an array of a function that is called again, compared with its end.
#define BUG
#include "end-of-a-local-array.c"
