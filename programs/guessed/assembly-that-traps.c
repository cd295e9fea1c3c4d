// Execution ends at the instruction.
#include <assert.h>

int main(void) {
    __asm__ volatile("ud2");
    assert(0);
    return 0;
}
