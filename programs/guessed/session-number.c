// A new session has the number of its process.
#include <assert.h>
#include <unistd.h>

int main(void) {
    assert(setsid() <= 0);
    return 0;
}
