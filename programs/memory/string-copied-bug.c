/* `strcpy` without room for the zero at the end. */
#include <string.h>
int main(void)
{
    char a[3];
    strcpy(a, "abc");
    return 0;
}
