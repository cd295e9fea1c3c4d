// Memory without a file is zero at first.
#define _GNU_SOURCE
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <sys/mman.h>

int main(void) {
    char *bytes = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes != MAP_FAILED)
        CHECK(bytes[5] == 0);
    return 0;
}
