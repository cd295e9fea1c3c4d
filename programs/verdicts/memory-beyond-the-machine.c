// No allocation gives more than half of the address space.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    volatile long none = -1;
    char *old = malloc(2);
    old[0] = 3;
    assert(malloc(none) == 0 && realloc(old, none) == 0);
    assert(old[0] == 3);
    return 0;
}
