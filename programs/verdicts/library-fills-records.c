// What POSIX says of the records that functions fill.
#include <time.h>

void reach_error(void);

int main(void) {
    struct timespec now = {0};
    if (clock_gettime(CLOCK_REALTIME, &now) == 0)
        if (!(now.tv_nsec >= 0 && now.tv_nsec < 1000000000))
            reach_error();
    return 0;
}
