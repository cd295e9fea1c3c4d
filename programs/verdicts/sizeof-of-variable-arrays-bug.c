// sizeof evaluates an operand whose type has a variable size: i is 1 behind it.
#include <assert.h>

int main(void)
{
    int n = 3, i = 0;
    int table[n][n + 1];
    (void)sizeof(table[i++]);
    assert(i == 0);
    return 0;
}
