// Function pointer choice.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern int __VERIFIER_nondet_int(void);
int a(int x)
{
    return x + 1;
}

int b(int x)
{
    return x * 2;
}

int main(void)
{
    int (*f)(int) = __VERIFIER_nondet_int()? a : b;
    CHECK(f(3) != 6);
    return 0;
}
