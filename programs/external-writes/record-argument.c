/* A record that is passed is copied: the caller's stays as it is. */
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
    if (pair.number != 2)
        reach_error();
    return 0;
}
