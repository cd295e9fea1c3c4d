// The mean of two numbers lies between them.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int average(int a, int b)
{
    return a + (int)(((unsigned)b - (unsigned)a) / 2);
}

int main(void)
{
    int low = __VERIFIER_nondet_int();
    int high = __VERIFIER_nondet_int();
    if (low > high)
        return 0;
    int middle = average(low, high);
    assert(low <= middle && middle <= high);
    return 0;
}
