// A function without a body keeps what it promises of its result.
#include <assert.h>

char *given(void) __attribute__((returns_nonnull));

int main(void) {
    assert(given() != 0);
    return 0;
}
