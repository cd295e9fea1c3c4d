// A range is moved onto itself: a byte that was moved.
#define BUG
#include "moved-onto-itself.c"
