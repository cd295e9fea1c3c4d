/* A record without a value is copied through a pointer: its members have any value. */
#define BUG
#include "record-without-value-copied.c"
