/* An array of another file begins with any values, one of this file with zeros. */
extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void);
extern unsigned theirs[4];
static unsigned ours[4];

int main(void)
{
    unsigned *p = __VERIFIER_nondet_uint() ? theirs : ours;
    unsigned value = p[__VERIFIER_nondet_uint() & 3];
#ifndef BUG
    if (p == theirs)
        return 0;
#endif
    if (value == 123456789)
        reach_error();
    return 0;
}
