/* A node is read after it was freed. */
#define BUG
#include "list.c"
