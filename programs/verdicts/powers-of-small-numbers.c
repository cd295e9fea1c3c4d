#include <math.h>

void reach_error(void);

int main(void) {
    if (!(pow(2, 10) == 1024 && pow(-3, 3) == -27))
        reach_error();
    return 0;
}
