// An object that ends within the cells in which its memory is kept: only its own bytes are set to zero.
#include <stdlib.h>
void reach_error(void);
int __VERIFIER_nondet_int(void);

int main(void)
{
    int small = __VERIFIER_nondet_int();
    int *p = small ? calloc(1, 1) : calloc(2, sizeof(int));
    if (small)
        return 0;
    p[0] = p[0] + 1;
    if (p[0] != 1 || p[1] != 0)
        reach_error();
    return 0;
}
