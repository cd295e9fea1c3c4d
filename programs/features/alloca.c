// Feature: alloca.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <alloca.h>
int main(void)
{
    int s = 0;
    for (int i = 1; i < 4; i++) {
        char *p = alloca(i);
        p[i - 1] = i;
        s += p[i - 1];
    } CHECK(s == 6);
    return 0;
}
