// An allocation of more than half of the address space fails, and execution goes on.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <stdlib.h>

int main(void) {
    volatile long none = -1;
    CHECK(malloc(none) != 0);
    return 0;
}
