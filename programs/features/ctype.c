// Feature: ctype.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <ctype.h>
int main(void)
{
    CHECK(isdigit(53) && !isdigit(97) && toupper(97) == 65 && isspace(32));
    return 0;
}
