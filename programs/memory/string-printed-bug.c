/* Text without an end is printed. */
#include <stdio.h>
int main(void)
{
    char a[2] = {'a', 'b'};
    printf("%s\n", a);
    return 0;
}
