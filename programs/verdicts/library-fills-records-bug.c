// A function that fills a record writes all of it.
#include <sys/stat.h>

void reach_error(void);

int main(void) {
    struct stat found = {0};
    stat("/", &found);
    if (!(found.st_mode == 0))
        reach_error();
    return 0;
}
