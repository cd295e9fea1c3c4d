/* The memory outside is looked at. */
#define BUG
#include "number-or-address.c"
