// No function sets errno to zero, and one that fails sets it.
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    struct stat status;
    errno = 0;
    if (stat("one", &status) != 0)
        assert(errno != 0);
    errno = 0;
    if (close(0) != 0)
        assert(errno != 0);
    errno = 5;
    puts("output");
    assert(errno != 0);
    return 0;
}
