/* As pointer-index-wraps, but the product is said never to be 1. */
#define BUG
#include "pointer-index-wraps.c"
