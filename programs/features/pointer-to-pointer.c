// Feature: pointer to pointer.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
void set(int **p, int *q)
{
    *p = q;
}

int main(void)
{
    int x = 1, y = 2, *p = &x;
    set(&p, &y);
    *p = 5;
    CHECK(y == 5 && x == 1);
    return 0;
}
