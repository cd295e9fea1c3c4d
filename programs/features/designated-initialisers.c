// Feature: designated initialisers.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
struct s {
    int a, b, c[4];
};
int main(void)
{
    struct s x = {.b = 2,.c = {[2] = 7, 8},.a = 1 };
    CHECK(x.a == 1 && x.b == 2 && x.c[1] == 0 && x.c[2] == 7 && x.c[3] == 8);
    int v[] = {[5] = 1, 2 };
    CHECK(sizeof v == 28);
    return 0;
}
