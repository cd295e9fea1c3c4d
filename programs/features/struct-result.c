// Feature: struct result.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
struct p {
    int x, y;
};
struct p mk(int a, int b)
{
    struct p r = { a, b };
    return r;
}

int main(void)
{
    CHECK(mk(3, 4).y == 4);
    struct p s = mk(1, 2);
    CHECK(s.x + s.y == 3);
    return 0;
}
