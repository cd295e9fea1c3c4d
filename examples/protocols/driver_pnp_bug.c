/* As driver_pnp.c, but a device can be taken away while its queue is open. */
#define BUG
#include "driver_pnp.c"
