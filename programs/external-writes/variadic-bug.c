/* Arguments behind `...` are arguments. */
void reach_error(void);
void collect(int count, ...);

int main(void)
{
    int x = 1;
    collect(1, &x);
    if (x != 1)
        reach_error();
    return 0;
}
