// A product of 128 bits wraps around to the smallest number.
#define BUG
#include "wide-product-wraps.c"
