// The invariant names the elements before and after the current ones: a[low - 1] and a[high + 1].
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned int a[1000];
    unsigned int low = __VERIFIER_nondet_uint();
    unsigned int high = __VERIFIER_nondet_uint();
    unsigned int entered = 0;
    if (low >= 1000 || high >= 1000)
        return 0;
    while (low < high) {
        if (a[low] != a[high])
            return 0;
        low++;
        high--;
        entered = 1;
    }
    if (entered) {
        while (high < low) {
            if (a[low] != a[high])
                reach_error();
            high++;
            low--;
        }
    }
    return 0;
}
