#include <math.h>

void reach_error(void);

int main(void) {
    if (!(pow(2, 10) == 1000))
        reach_error();
    return 0;
}
