/* A global counts the activations, another one says where they end. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

#ifndef STEP
#define STEP 1
#endif

static int count, limit;

static void down(int n)
{
    if (n > limit) {
        count += STEP;
        down(n - 1);
    }
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100000)
        return 0;
    count = 5;
    down(n);
    if (count != n + 5)
        reach_error();
    return 0;
}
