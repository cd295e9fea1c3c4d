/* A pointer to a nested function is taken in an activation while one from another activation lives: the older one has its own
   variable. */
extern void reach_error(void);

static int outer(int depth, int (*older)(void))
{
    int get(void)
    {
        return depth;
    }
    if (depth == 0)
        return outer(1, get);
    int (*newer)(void) = get;
    return newer() == 1 && older() == 1;
}

int main(void)
{
    if (outer(0, 0))
        reach_error();
    return 0;
}
