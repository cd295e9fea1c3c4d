#define REST 4
#include "member-is-aligned.c"
