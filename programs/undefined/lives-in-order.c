// A local lies somewhere else when its function is called again.
void reach_error(void);

static unsigned long last;

static void f(int k)
{
    int x = k;
    int *p = &x;
    *p = 1;
    if (last && last > (unsigned long)&x)
        reach_error();
    last = (unsigned long)&x;
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
