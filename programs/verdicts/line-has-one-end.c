// In a line that was read nothing stands behind its end.
#include <assert.h>
#include <stdio.h>

int main(void) {
    char line[4];
    if (fgets(line, 4, stdin) && line[0] == '\n')
        assert(line[1] == 0);
    return 0;
}
