// Feature: typeof.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    long long a = 1;
    typeof(a) b = 1LL << 40;
    CHECK(sizeof b == 8 && b >> 40 == 1);
    return 0;
}
