// Feature: offsetof.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <stddef.h>
struct s {
    char c;
    int i;
    double d;
};
int main(void)
{
    CHECK(offsetof(struct s, i) == 4 && offsetof(struct s, d) == 8);
    return 0;
}
