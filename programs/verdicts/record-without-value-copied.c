/* Its copy is equal to it. */
extern void reach_error(void);

struct pair {
    int a, b;
};
static struct pair global;

int main(void)
{
    struct pair unset, *p = &global;
    *p = unset;
#ifdef BUG
    if (global.a == 3 && global.b == 4)
#else
    if (global.a != unset.a || global.b != unset.b)
#endif
        reach_error();
    return 0;
}
