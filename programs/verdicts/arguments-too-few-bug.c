/* A parameter that is not passed has any value. */
void reach_error(void);
static int second(int a, int b) { return b; }

int main(void)
{
    int (*call)() = second;
    if (call(1) == 77)
        reach_error();
    return 0;
}
