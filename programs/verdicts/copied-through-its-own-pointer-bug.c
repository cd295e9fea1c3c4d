// A copy overwrites the pointer that its source was read from: what is found there.
#define BUG
#include "copied-through-its-own-pointer.c"
