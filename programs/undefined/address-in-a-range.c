// Whether an object lies in a certain range of addresses is open.
#include <assert.h>
#include <stdint.h>
static int x;
int main(void)
{
    assert((uintptr_t)&x - 0x5f0000000000ull >= 1ull << 20);
    return 0;
}
