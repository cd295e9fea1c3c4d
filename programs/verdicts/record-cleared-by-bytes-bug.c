// The last field is not cleared.
#define BUG
#include "record-cleared-by-bytes.c"
