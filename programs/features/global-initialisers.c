// Feature: global initialisers.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int a = 3, *p = &a, t[3] = { 1 };
char *s[] = { "x", "yy" };

struct {
    int *q;
} g = { &t[1] };

int main(void)
{
    CHECK(*p == 3 && t[0] == 1 && t[2] == 0 && s[1][1] == 121 && *g.q == 0);
    return 0;
}
