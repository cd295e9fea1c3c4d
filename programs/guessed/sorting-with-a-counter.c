// How often a sort compares is its own affair.
#include <assert.h>
#include <stdlib.h>

static int comparisons;

static int compare(const void *a, const void *b) {
    comparisons++;
    return *(const int *)a - *(const int *)b;
}

int main(void) {
    int numbers[4] = {1, 2, 3, 4};
    qsort(numbers, 4, sizeof(int), compare);
    assert(comparisons >= 4);
    return 0;
}
