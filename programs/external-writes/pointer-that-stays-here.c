/* An object whose address goes nowhere is not reached. */
void reach_error(void);
void use(void *p);

int main(void)
{
    int x = 1, y = 2, *p = &y;
    *p = 7;
    use(&x);
    if (y != 7)
        reach_error();
    return 0;
}
