// Which bucket a pointer falls into depends on where its object lies; that the buckets are counted right does not.
void reach_error(void);
int __VERIFIER_nondet_int(void);

int count[4];
int all;

static void insert(const int *key)
{
    unsigned bucket = ((unsigned long)key >> 4) % 4;
    count[bucket]++;
    all++;
}

int main(void)
{
    int a, b;
    while (__VERIFIER_nondet_int() && all < 100) {
        if (&a < &b)
            insert(&a);
        else
            insert(&b);
    }
    if (all < 0 || all > 100)
        reach_error();
    return 0;
}
