/* `memcpy` of as many bytes as there are. */
#include <string.h>
int main(void)
{
    char a[8] = "1234567", b[8];
    memcpy(b, a, sizeof b);
    return b[7];
}
