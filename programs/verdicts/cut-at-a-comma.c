// A distance within an array is a number like any other: an index, or a length.
#include <string.h>
char __VERIFIER_nondet_char(void);
void reach_error(void);

int main(void)
{
    char line[5], field[5];
    for (int i = 0; i < 4; i++)
        line[i] = __VERIFIER_nondet_char();
    line[4] = 0;
    char *comma = strchr(line, ',');
    if (!comma)
        return 0;
    unsigned long length = comma - line;
    memcpy(field, line, length);
    field[length] = 0;
    line[length] = 0;
#ifdef BUG
    if (length == 3)
        field[0] = 0;
#endif
    if (*comma || strlen(field) != length)
        reach_error();
    return 0;
}
