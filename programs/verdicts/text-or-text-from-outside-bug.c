/* It is asked about both. */
#define BUG
#include "text-or-text-from-outside.c"
