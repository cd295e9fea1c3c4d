/* What its members lead to is reached. */
#define REACHED x != 1
#include "record-argument.c"
