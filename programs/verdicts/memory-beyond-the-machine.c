// No allocation gives more than half of the address space.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <stdlib.h>

int main(void) {
    volatile long none = -1;
    char *old = malloc(2);
    old[0] = 3;
    CHECK(malloc(none) == 0 && realloc(old, none) == 0);
    CHECK(old[0] == 3);
    return 0;
}
