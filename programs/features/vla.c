// Feature: vla.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int f(int n)
{
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = i;
    return a[n - 1] + (int)(sizeof a / sizeof a[0]);
}

int main(void)
{
    CHECK(f(4) == 7 && f(1) == 1);
    return 0;
}
