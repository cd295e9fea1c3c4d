// Feature: case ranges.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int f(int x)
{
    switch (x) {
    case 0 ... 9:
        return 1;
    case 10 ... 99:
        return 2;
    default:
        return 3;
    }
}

int main(void)
{
    CHECK(f(5) == 1 && f(42) == 2 && f(-1) == 3 && f(100) == 3);
    return 0;
}
