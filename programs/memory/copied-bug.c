/* `memcpy` of more bytes than there are. */
#include <string.h>
int __VERIFIER_nondet_int(void);
int main(void)
{
    char a[8] = "1234567", b[8];
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 9)
        return 0;
    memcpy(b, a, n);
    return 0;
}
