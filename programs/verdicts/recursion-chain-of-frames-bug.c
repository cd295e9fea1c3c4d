/* As recursion-chain-of-frames, but the record of the outermost activation is said to be untouched. */
#define BUG
#include "recursion-chain-of-frames.c"
