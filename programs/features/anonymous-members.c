// Feature: anonymous members.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
struct s {
    int k;
    union {
        int i;
        float f;
    };
    struct {
        short a, b;
    };
};
int main(void)
{
    struct s x = { 0 };
    x.f = 1.0f;
    CHECK(x.i == 0x3f800000);
    x.b = 3;
    CHECK(x.a == 0 && x.b == 3);
    return 0;
}
