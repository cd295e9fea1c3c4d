/* Three times a number may be 1, modulo 2^32. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

int t[12];

int main(void)
{
    unsigned i = __VERIFIER_nondet_uint();
    if (i * 3u < 12u) {
        t[i * 3u] = 7;
#ifdef BUG
        if (t[1] != 0)
#else
        if (t[1] != 0 && t[1] != 7)
#endif
            reach_error();
    }
    return 0;
}
