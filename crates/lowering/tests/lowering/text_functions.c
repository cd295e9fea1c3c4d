/* Tokens, numbers in text, sorting and searching. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    char words[] = "  one, two,,three ";
    char fields[] = "a:b::c";
    char *word, *rest = fields, *end;
    char small[4];
    int numbers[] = {5, 3, 9, -1, 7, 3}, key = 7, missing = 8, *found, i;
    for (word = strtok(words, " ,"); word; word = strtok(0, " ,"))
        printf("[%s]", word);
    while ((word = strsep(&rest, ":")))
        printf("(%s)", word);
    printf("\n%ld %ld %ld %ld %lu\n", strtol(" -42x", &end, 10), strtol("0x1f", 0, 0), strtol("017", 0, 0),
           strtol("zz", 0, 36), strtoul("4000000000", 0, 10));
    printf("[%s]\n", end);
    errno = 0;
    printf("%lld %llu %d\n", strtoll("99999999999999999999", 0, 10), strtoull("-1", 0, 10), errno == ERANGE);
    errno = 5;
    printf("%ld %d %ld\n", strtol("12", &end, 10), errno, atol("77 bottles"));
    strtol("none", &end, 10);
    printf("[%s]\n", end);
    qsort(numbers, 6, sizeof numbers[0], by_value);
    for (i = 0; i < 6; i++)
        printf("%d ", numbers[i]);
    found = bsearch(&key, numbers, 6, sizeof numbers[0], by_value);
    printf("%d %d\n", (int)(found - numbers), bsearch(&missing, numbers, 6, sizeof numbers[0], by_value) == 0);
    strncpy(small, "long", 4);
    printf("%.4s %d %d\n", small, strcasecmp("HeLLo", "hEllO"), strncasecmp("abcX", "ABCy", 3));
    word = strndup("duplicate", 3);
    printf("%s\n", word);
    free(word);
    return 0;
}
