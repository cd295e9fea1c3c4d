/* Nobody outside can name it, and its address goes nowhere. */
void reach_error(void);
void step(void);
static int state = 1;

int main(void)
{
    step();
    if (state != 1)
        reach_error();
    return 0;
}
