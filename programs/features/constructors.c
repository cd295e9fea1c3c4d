// Constructors run before main by priority, then in the order of their definition; destructors the other way
// round, also behind exit().
void reach_error(void);
void exit(int);
static int steps;

static void third(void) __attribute__((constructor));
__attribute__((constructor(300))) static void second(void)
{
    if (steps++ != 1)
        reach_error();
}
static void third(void)
{
    if (steps++ != 2)
        reach_error();
}
__attribute__((constructor)) void fourth(void)
{
    if (steps++ != 3)
        reach_error();
}
__attribute__((constructor(200))) static void first(void)
{
    if (steps++ != 0)
        reach_error();
}
__attribute__((destructor)) static void later(void)
{
    if (steps != 15)
        reach_error();
}
__attribute__((destructor)) static void sooner(void)
{
    if (steps != 14)
        reach_error();
    steps = 15;
}

int main(void)
{
    if (steps != 4)
        reach_error();
    steps = 14;
    exit(0);
}
