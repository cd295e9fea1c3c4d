#ifndef RING_H
#define RING_H

#define RING_SIZE 4

/* A queue of bytes between an interrupt and the main loop. */
struct ring {
    unsigned char data[RING_SIZE];
    unsigned head, tail, count;
};

int ring_put(struct ring *ring, unsigned char byte);
int ring_get(struct ring *ring);

#endif
