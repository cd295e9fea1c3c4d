// Feature: address of local.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int *keep;
void f(int v)
{
    int l = v;
    keep = &l;
    CHECK(*keep == v);
}

int main(void)
{
    f(1);
    f(2);
    return 0;
}
