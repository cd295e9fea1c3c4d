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
    if (global.a != unset.a || global.b != unset.b)
        reach_error();
    return 0;
}
