// A file may be there, and have a number.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <fcntl.h>

int main(void) {
    CHECK(open("one", O_RDONLY) < 0);
    return 0;
}
