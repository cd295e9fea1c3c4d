/* The real part of a square may be negative. */
#define BUG
#include "complex-product.c"
