// Feature: switch fallthrough.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int f(int x)
{
    int r = 0;
    switch (x) {
    case 1:
        r += 1;
    case 2:
        r += 2;
        break;
    default:
        r = 9;
    case 7:
        r += 5;
    }
    return r;
}

int main(void)
{
    CHECK(f(1) == 3 && f(2) == 2 && f(3) == 14 && f(7) == 5);
    return 0;
}
