// _Exit() runs no destructor.
#define END _Exit
#include "destructor-runs-at-exit-bug.c"
