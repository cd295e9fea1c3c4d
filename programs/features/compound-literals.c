// Feature: compound literals.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
struct p {
    int x, y;
};
int f(struct p *p)
{
    return p->x * p->y;
}

int main(void)
{
    CHECK(f(&(struct p) { 3, 4 }) == 12);
    int *q = (int[]) { 1, 2, 3 };
    CHECK(q[2] == 3);
    return 0;
}
