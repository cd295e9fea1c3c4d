/* As driver_dispatch.c, but a started request is not always completed. */
#define BUG
#include "driver_dispatch.c"
