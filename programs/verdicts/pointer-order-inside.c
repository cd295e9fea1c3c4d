// Order and distance of pointers into one object, null tests, equality, and pointers kept in integers do not depend on
// where objects lie.
#include <stdlib.h>
void reach_error(void);

int sum(const int *p, const int *end)
{
    int total = 0;
    for (; p < end; p++)
        total += *p;
    return total;
}

int main(void)
{
    int numbers[4] = {1, 2, 3, 4};
    int other = 5;
    unsigned long kept = (unsigned long)&other;
    int *back = (int *)kept;
    int *heap = malloc(sizeof *heap);
    if (!heap || heap == back || back != &other)
        return 0;
    *heap = sum(numbers, numbers + 4);
    int *third = &numbers[2];
    if (third - numbers != 2 || *heap != 10 || *back != 5 || heap == numbers)
        reach_error();
    free(heap);
    return 0;
}
