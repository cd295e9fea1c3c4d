#include "ring.h"
#include "uart.h"

int ring_put(struct ring *ring, unsigned char byte) {
    if (ring->count > RING_SIZE)
        return -1;
    ring->data[ring->head] = byte;
    ring->head = (ring->head + 1) % RING_SIZE;
    ring->count++;
    return 0;
}

int ring_get(struct ring *ring) {
    if (ring->count == 0)
        return -1;
    int byte = ring->data[ring->tail];
    ring->tail = (ring->tail + 1) % RING_SIZE;
    ring->count--;
    return byte;
}

/* Takes what has arrived. */
void ring_fill(struct ring *ring) {
    while (uart_ready())
        ring_put(ring, uart_read());
}
