// Feature: memcpy memset.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <string.h>
int main(void)
{
    int a[4] = { 1, 2, 3, 4 }, b[4];
    memcpy(b, a, sizeof a);
    memset(a, 0xff, 8);
    CHECK(b[3] == 4 && a[0] == -1 && a[1] == -1 && a[2] == 3);
    return 0;
}
