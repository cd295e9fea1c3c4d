// As reactions.c, with conditions that hold in one of several ways.
// must prove: classes
// must not prove: eva-basic
#define RISES input == 1 && ((mode == 1 && level <= 140) || (mode == 4 && level <= 20))
#define FALLS input == 2 && ((mode == 1 && level > 5000) || (mode == 2 && (level > 140 || level < -140)))
#include "reactions.c"
