/* Any use of the queue: bytes come and are taken in any order. */
#include "ring.h"
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
void ring_fill(struct ring *ring);

int main(void) {
    struct ring ring = {0};
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            ring_fill(&ring);
        else
            ring_get(&ring);
        assert(ring.count <= RING_SIZE);
    }
    return 0;
}
