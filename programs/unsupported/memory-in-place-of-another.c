// Memory that is mapped where something else was.
#define _GNU_SOURCE
#include <assert.h>
#include <sys/mman.h>

char bytes[8192] __attribute__((aligned(4096)));

int main(void) {
    bytes[0] = 1;
    mmap(bytes, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
    assert(bytes[0] == 1);
    return 0;
}
