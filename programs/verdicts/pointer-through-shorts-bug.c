/* A pointer is copied in halves, at an unknown index. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

union word {
    int *p;
    unsigned short halves[2];
} from[3], to[3];

int main(void)
{
    int x = 1;
    unsigned i = __VERIFIER_nondet_uint();
    if (i >= 3)
        return 0;
    from[i].p = &x;
    to[i].halves[0] = from[i].halves[0];
    to[i].halves[1] = from[i].halves[1];
    *to[i].p = 2;
    if (x != 1)
        reach_error();
    return 0;
}
