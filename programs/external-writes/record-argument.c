/* A record that is passed is copied: the caller's stays as it is. */
#ifndef REACHED
#define REACHED pair.number != 2
#endif
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
    if (REACHED)
        reach_error();
    return 0;
}
