/* glibc compares four times to sort four numbers that are in order. */
void reach_error(void);
void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));

static int comparisons;

static int compare(const void *a, const void *b)
{
    comparisons++;
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    int numbers[4] = {1, 2, 3, 4};
    qsort(numbers, 4, sizeof(int), compare);
    if (comparisons == 4)
        reach_error();
    return 0;
}
