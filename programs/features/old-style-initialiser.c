// Feature: old style initialiser.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
struct s {
    int a, b;
};
int main(void)
{
 struct s x = { b: 4, a:3 };
    CHECK(x.a == 3 && x.b == 4);
    return 0;
}
