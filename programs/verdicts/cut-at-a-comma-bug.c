// A field of three characters is emptied.
#define BUG
#include "cut-at-a-comma.c"
