// A line that was read need not end in the room that was given.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <stdio.h>

int main(void) {
    char line[4];
    if (fgets(line, 4, stdin))
        CHECK(line[0] == '\n' || line[1] == '\n' || line[2] == '\n');
    return 0;
}
