// The place behind one array may be the beginning of the other, also where one pointer leads to both.
void reach_error(void);
extern int __VERIFIER_nondet_int(void);

char a[4], b[4];

int main(void)
{
    char *either = __VERIFIER_nondet_int() ? a : b;
    *either = 1;
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 4)
        return 0;
    if (a + n == b)
        reach_error();
    return 0;
}
