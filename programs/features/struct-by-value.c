// Feature: struct by value.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
struct p {
    int x;
    char c[3];
};
int f(struct p q)
{
    q.x++;
    q.c[1] = 7;
    return q.x + q.c[1];
}

int main(void)
{
    struct p a = { 4, {1, 2, 3} };
    CHECK(f(a) == 12 && a.x == 4 && a.c[1] == 2);
    return 0;
}
