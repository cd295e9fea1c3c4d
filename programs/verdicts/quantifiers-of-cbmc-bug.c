// Not all of the elements are so small.
#define BUG
#include "quantifiers-of-cbmc.c"
