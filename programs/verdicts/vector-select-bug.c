/* Equal elements have no larger one. */
#define BUG
#include "vector-select.c"
