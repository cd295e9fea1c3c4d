/* Whoever only compares is not noticed: the numbers are in order. */
void reach_error(void);
void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));

static int compare(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;
    return left < right ? -1 : left > right;
}

int main(void)
{
    int numbers[3] = {3, 1, 1};
    qsort(numbers, 3, sizeof(int), compare);
    if (numbers[0] != 1 || numbers[1] != 1 || numbers[2] != 3)
        reach_error();
    return 0;
}
