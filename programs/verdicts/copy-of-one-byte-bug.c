/* As copy-of-one-byte, but the copied byte is said to be lost. */
#define BUG
#include "copy-of-one-byte.c"
