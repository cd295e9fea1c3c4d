// glibc leaves what it would have filled where it fails; nobody promises it.
#include <assert.h>
#include <sys/stat.h>

int main(void) {
    struct stat status;
    status.st_size = 5;
    if (stat("one", &status) != 0)
        assert(status.st_size == 5);
    return 0;
}
