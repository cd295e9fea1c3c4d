// Feature: static locals.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int f(void)
{
    static int n = 5;
    return n++;
}

int main(void)
{
    f();
    f();
    CHECK(f() == 7);
    return 0;
}
