// A sort may put elements that compare equal in any order.
#include <assert.h>
#include <stdlib.h>

struct entry { int key, value; };

static int compare(const void *a, const void *b) {
    return ((const struct entry *)a)->key - ((const struct entry *)b)->key;
}

int main(void) {
    struct entry entries[2] = {{1, 1}, {1, 2}};
    qsort(entries, 2, sizeof entries[0], compare);
    assert(entries[0].value == 1);
    return 0;
}
