/* `strcpy` with room for the zero at the end. */
#include <string.h>
int main(void)
{
    char a[4];
    strcpy(a, "abc");
    return a[3];
}
