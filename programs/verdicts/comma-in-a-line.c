// The distance of what `strchr` finds from where it began to look.
#include <string.h>
void reach_error(void);
char __VERIFIER_nondet_char(void);

#ifndef LAST
#define LAST 4
#endif

int main(void)
{
    char line[6];
    for (int i = 0; i < 5; i++)
        line[i] = __VERIFIER_nondet_char();
    line[5] = 0;
    char *comma = strchr(line, ',');
    if (comma && comma - line > LAST)
        reach_error();
    return 0;
}
