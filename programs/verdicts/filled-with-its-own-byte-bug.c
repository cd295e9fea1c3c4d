// A fill overwrites what its byte was computed from: the bytes that it writes.
#define BUG
#include "filled-with-its-own-byte.c"
