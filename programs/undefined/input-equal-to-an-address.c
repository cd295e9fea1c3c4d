// An input that is equal to an address leads to the object.
void reach_error(void);
extern unsigned long __VERIFIER_nondet_ulong(void);

int x = 1;

int main(void)
{
    unsigned long guess = __VERIFIER_nondet_ulong();
    if (guess == (unsigned long)&x) {
        *(int *)guess = 5;
        if (x != 1)
            reach_error();
    }
    return 0;
}
