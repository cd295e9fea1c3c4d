// Feature: sizeof expressions.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    int n = 0;
    CHECK(sizeof(n++) == 4 && n == 0);
    char a[10];
    CHECK(sizeof a == 10 && sizeof(a + 0) == sizeof(char *));
    return 0;
}
