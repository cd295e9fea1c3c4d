/* It is asked about both. */
#define BUG
#include "record-from-outside-or-not.c"
