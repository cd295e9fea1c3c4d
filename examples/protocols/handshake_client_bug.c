/* As handshake_client.c, but a resumed session in step 2 is an error. */
#define BUG
#include "handshake_client.c"
