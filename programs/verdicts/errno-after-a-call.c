// A function of the library may set errno.
#include <errno.h>
#include <unistd.h>
void reach_error(void);
int main(void)
{
    errno = 0;
    if (rmdir("nowhere") != 0 && errno == 2)
        reach_error();
    return 0;
}
