/* A function runs over a text that may have no zero at its end. */
#define BUG
#include "end-of-text.c"
