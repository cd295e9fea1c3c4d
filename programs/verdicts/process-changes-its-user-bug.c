#include <unistd.h>

void reach_error(void);

int main(void) {
    unsigned before = geteuid();
    seteuid(5);
    if (!(geteuid() == before))
        reach_error();
    return 0;
}
