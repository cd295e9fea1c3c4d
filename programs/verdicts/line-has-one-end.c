// In a line that was read nothing stands behind its end.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <stdio.h>

int main(void) {
    char line[4];
    if (fgets(line, 4, stdin) && line[0] == '\n')
        CHECK(line[1] == 0);
    return 0;
}
