/* As handshake_server.c, but the server must not end with a key. */
#define BUG
#include "handshake_server.c"
