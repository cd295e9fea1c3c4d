// One object may lie just behind another.
void reach_error(void);

int a, b;

int main(void)
{
    int *end = &a + 1;
    if (end == &b)
        reach_error();
    return 0;
}
