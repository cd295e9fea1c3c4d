// Feature: arrays 2d.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    int a[3][4];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            a[i][j] = i * 10 + j;
    CHECK(a[2][3] == 23 && *(* (a + 1) + 2) == 12);
    return 0;
}
