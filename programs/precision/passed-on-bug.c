// As passed-on.c, but the last station may be woken by the first one, too.
// must not prove: classes
#define ALSO_WAKES if (__VERIFIER_nondet_int()) third = 1;
#include "passed-on.c"
