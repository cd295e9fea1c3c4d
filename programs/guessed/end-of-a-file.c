// Nothing was read yet, so the end was not seen: true, but not computed.
#include <assert.h>
#include <stdio.h>

int main(void) {
    assert(!feof(stdin) && fileno(stdout) == 1);
    return 0;
}
