/* The array of the other file is asked about. */
#define BUG
#include "elements-defined-elsewhere.c"
