/* A pointer without a type still points to an object. */
void reach_error(void);
void use(void *p);

int main(void)
{
    int x = 1;
    use(&x);
    if (x != 1)
        reach_error();
    return 0;
}
