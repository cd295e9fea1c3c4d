// What the program itself stores in errno stays there.
#include <errno.h>
void reach_error(void);
static int fails(void)
{
    errno = 22;
    return -1;
}
int main(void)
{
    if (fails() < 0 && errno != 22)
        reach_error();
    return 0;
}
