// A file may be there, and have a number.
#include <assert.h>
#include <fcntl.h>

int main(void) {
    assert(open("one", O_RDONLY) < 0);
    return 0;
}
