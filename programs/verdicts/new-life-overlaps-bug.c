// A number that was a local's address may be one inside of it when it lives again.
extern void reach_error(void);

struct triple { int a, b, c; };
static unsigned long last;

static void f(int k)
{
    struct triple t[4];
    t[0].a = t[0].b = t[0].c = 1;
    if (last) {
        unsigned long d = (unsigned long)t - last;
        *(int *)(last + (d + 8)) = 5;
        if (t[0].c != 1)
            reach_error();
    }
    last = (unsigned long)t;
}

static void g(int k)
{
    char frame[400];
    frame[k & 3] = 1;
    f(k);
}

int main(void)
{
    f(1);
    g(2);
    return 0;
}
