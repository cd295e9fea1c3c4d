// The place behind one allocation may be the beginning of another.
void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
void *malloc(unsigned long);

int main(void)
{
    char *a = malloc(16), *b = malloc(16);
    char *either = __VERIFIER_nondet_uint() ? a : b;
    *either = 0;
    unsigned n = __VERIFIER_nondet_uint();
    if (n <= 16 && a + n == b)
        reach_error();
    return 0;
}
