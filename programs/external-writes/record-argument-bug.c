/* What its members lead to is reached. */
void reach_error(void);
struct pair {
    int *p;
    int number;
};
void use(struct pair pair);

int main(void)
{
    int x = 1;
    struct pair pair = {&x, 2};
    use(pair);
    if (x != 1)
        reach_error();
    return 0;
}
