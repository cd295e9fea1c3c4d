// Files that are open at the same time have different numbers; what is not open cannot be closed, and failure has a reason.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int main(void) {
    int one = open("one", O_RDONLY), other = dup(0), ends[2];
    if (one >= 0 && other >= 0)
        assert(one != other);
    if (pipe(ends) == 0)
        assert(ends[0] != ends[1]);
    errno = 0;
    assert(close(-1) == -1 && errno != 0);
    long place = lseek(0, 5, SEEK_SET);
    assert(place == 5 || place == -1);
    return 0;
}
