/* Proofs place the caller's local elsewhere than executions do: no invariant may tell the difference. */
void reach_error(void);
int __VERIFIER_nondet_int(void);

static int count(int *p)
{
    int i = 0;
    while (__VERIFIER_nondet_int()) {
        if (*p == 0)
            break;
        i++;
    }
    return i;
}

int main(void)
{
    int one = 1;
    if (count(&one) > 3)
        reach_error();
    return 0;
}
