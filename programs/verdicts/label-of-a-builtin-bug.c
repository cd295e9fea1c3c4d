// The builtin calls the function that the label names.
#define BUG
#include "label-of-a-builtin.c"
