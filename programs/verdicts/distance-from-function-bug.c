// The distance from a function tells where an object lies, also if a pointer to an object might have been meant.
void reach_error(void);
int __VERIFIER_nondet_int(void);

int a = 1, b = 2;

static void function(void)
{
}

int main(void)
{
    void *from = __VERIFIER_nondet_int() ? (void *)&a : (void *)function;
    unsigned long distance = (unsigned long)from - (unsigned long)&b;
    if (from == (void *)function) {
        *(int *)((unsigned long)function - distance) = 5;
        if (b == 5 && __VERIFIER_nondet_int() * 2654435761u == 12345u)
            reach_error();
    }
    return 0;
}
