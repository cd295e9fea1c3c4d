// A line that was read need not end in the room that was given.
#include <assert.h>
#include <stdio.h>

int main(void) {
    char line[4];
    if (fgets(line, 4, stdin))
        assert(line[0] == '\n' || line[1] == '\n' || line[2] == '\n');
    return 0;
}
