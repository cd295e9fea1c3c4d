// Feature: function pointers.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int add(int a, int b)
{
    return a + b;
}

int sub(int a, int b)
{
    return a - b;
}

int main(void)
{
    int (*t[2])(int, int) = { add, sub };
    CHECK(t[0] (3, 4) == 7 && t[1] (3, 4) == -1);
    return 0;
}
