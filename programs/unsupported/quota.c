// What is written behind the last argument depends on the first.
#include <assert.h>

int quotactl(int command, const char *device, int id, char *data);

int main(void) {
    char data[64] = {0};
    quotactl(8388608, "/", 0, data);
    assert(data[0] == 0);
    return 0;
}
