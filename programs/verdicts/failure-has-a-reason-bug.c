// Which reason it is nobody knows.
#include <assert.h>
#include <errno.h>
#include <sys/stat.h>

int main(void) {
    struct stat status;
    if (stat("one", &status) != 0)
        assert(errno == 2);
    return 0;
}
