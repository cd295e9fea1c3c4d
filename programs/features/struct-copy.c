// Feature: struct copy.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
struct p {
    int x, y;
};
int main(void)
{
    struct p a = { 1, 2 }, b = a;
    b.x = 9;
    CHECK(a.x == 1 && b.x == 9 && b.y == 2);
    return 0;
}
