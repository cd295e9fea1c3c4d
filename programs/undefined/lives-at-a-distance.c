// How far a local lies from where it was before is open.
void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static char *last;

static void f(int k)
{
    char x[4];
    x[k & 3] = k;
    if (last && x - last != 0)
        reach_error();
    last = x;
}

static void g(int k)
{
    char frame[400];
    frame[k & 3] = 1;
    f(k);
}

int main(void)
{
    f(__VERIFIER_nondet_int());
    g(__VERIFIER_nondet_int());
    return 0;
}
