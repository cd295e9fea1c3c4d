// _Exit() runs no destructor.
void reach_error(void);
void _Exit(int);
static int open;
__attribute__((destructor)) static void finish(void)
{
    if (open)
        reach_error();
}
int main(void)
{
    open = 1;
    _Exit(0);
}
