// A number of two digits may be 99.
#include <assert.h>
#include <stdio.h>

int main(void) {
    int number;
    if (scanf("%2d", &number) == 1)
        assert(number < 99);
    return 0;
}
