/* A record without a value is copied through a pointer: its members have any value. */
extern void reach_error(void);

struct pair {
    int a, b;
};
static struct pair global;

int main(void)
{
    struct pair unset, *p = &global;
    *p = unset;
    if (global.a == 3 && global.b == 4)
        reach_error();
    return 0;
}
