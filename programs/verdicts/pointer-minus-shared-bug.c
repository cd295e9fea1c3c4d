/* As pointer-minus-shared, but the write is said to go elsewhere. */
#define BUG
#include "pointer-minus-shared.c"
