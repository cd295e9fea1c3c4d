// An allocation of more than half of the address space fails, and execution goes on.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    volatile long none = -1;
    assert(malloc(none) != 0);
    return 0;
}
