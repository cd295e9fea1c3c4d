// Files that are open at the same time have different numbers; what is not open cannot be closed.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int main(void) {
    int one = open("one", O_RDONLY), other = dup(0), ends[2];
    if (one >= 0 && other >= 0)
        CHECK(one != other);
    if (pipe(ends) == 0)
        CHECK(ends[0] != ends[1]);
    errno = 0;
    CHECK(close(-1) == -1 && errno != 0);
    long place = lseek(0, 5, SEEK_SET);
    CHECK(place == 5 || place == -1);
    return 0;
}
