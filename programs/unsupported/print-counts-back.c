// `%n` writes to an argument.
#include <assert.h>
#include <stdio.h>

int main(void) {
    int written = 0;
    printf("abc%n", &written);
    assert(written == 0);
    return 0;
}
