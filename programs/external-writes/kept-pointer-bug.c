/* A pointer that was passed once may be kept. */
void reach_error(void);
void keep(void *p), later(void);

int main(void)
{
    int x = 1;
    keep(&x);
    x = 5;
    later();
    if (x != 5)
        reach_error();
    return 0;
}
