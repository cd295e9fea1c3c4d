// As reactions.c, but one of the reactions leads below the constant.
// must not prove: classes
#define LIFT -299800
#include "reactions.c"
