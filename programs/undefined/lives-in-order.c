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

static int deeper(int k)
{
    char room[256];
    room[k & 7] = 3;
    f(k);
    return room[k & 7];
}

int main(void)
{
    f(1);
    return deeper(2) != 3;
}
