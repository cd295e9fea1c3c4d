// A write far behind a small object, as drivers do whose pointers have the wrong type: C leaves open what follows, so
// that the error behind it is never reached must not be proved from it.
void reach_error(void);

struct large {
    int first[20];
};

int main(void)
{
    int small;
    struct large *p = (struct large *)&small;
    p->first[10] = 1;
    if (p->first[10] == 1)
        reach_error();
    return 0;
}
