// Feature: nested structs.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
struct in {
    int a, b;
};
struct out {
    struct in i[2];
    int n;
};
int main(void)
{
    struct out o = { {{1, 2}, {3, 4}}, 5 };
    CHECK(o.i[1].a == 3);
    o.i[0] = o.i[1];
    CHECK(o.i[0].b == 4 && o.n == 5);
    return 0;
}
