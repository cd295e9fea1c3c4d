/* With 64-bit pointers numbers and floats travel in registers of their own. */
void reach_error(void);
static int sum(double d, int a) { return a + (int)d; }

int main(void)
{
    int (*call)(int, double) = (int (*)(int, double))sum;
    if (call(1, 2.0) != 3)
        reach_error();
    return 0;
}
