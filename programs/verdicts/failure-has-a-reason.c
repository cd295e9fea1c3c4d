// No function sets errno to zero, and one that fails sets it.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    struct stat status;
    errno = 0;
    if (stat("one", &status) != 0)
        CHECK(errno != 0);
    errno = 0;
    if (close(0) != 0)
        CHECK(errno != 0);
    errno = 5;
    puts("output");
    CHECK(errno != 0);
    return 0;
}
