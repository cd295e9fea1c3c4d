// A number of two digits may be 99.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <stdio.h>

int main(void) {
    int number;
    if (scanf("%2d", &number) == 1)
        CHECK(number < 99);
    return 0;
}
