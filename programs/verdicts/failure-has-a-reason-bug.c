// Which reason it is nobody knows.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <errno.h>
#include <sys/stat.h>

int main(void) {
    struct stat status;
    if (stat("one", &status) != 0)
        CHECK(errno == 2);
    return 0;
}
