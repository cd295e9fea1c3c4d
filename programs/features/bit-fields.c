// Feature: bit fields.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
struct b {
    unsigned a:3;
    int b:5;
    unsigned c:10;
};
int main(void)
{
    struct b x = { 0 };
    x.a = 9;
    x.b = -3;
    x.c = 1023;
    CHECK(x.a == 1 && x.b == -3 && x.c == 1023);
    x.c++;
    CHECK(x.c == 0 && x.b == -3);
    return 0;
}
