/* sprintf and its kin write what printf prints. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int through_list(char *target, size_t size, const char *format, ...)
{
    va_list list;
    int length;
    va_start(list, format);
    length = vsnprintf(target, size, "%d-%s-%c", list);
    va_end(list);
    return length;
}

int main(void)
{
    char text[200];
    int n;
    n = sprintf(text, "plain %% text");
    printf("%d [%s]\n", n, text);
    n = sprintf(text, "%d %5d|%-5d|%05d|%+d|% d|%.3d", 0, 42, -42, -42, 42, 42, 7);
    printf("%d [%s]\n", n, text);
    n = sprintf(text, "%u %x %#x %X %o %#o", 4000000000u, 48879, 48879, 48879, 8, 8);
    printf("%d [%s]\n", n, text);
    n = sprintf(text, "%ld %lld %lu %zu", -123456789L, -1234567890123456789LL, 99ul, sizeof text);
    printf("%d [%s]\n", n, text);
    n = sprintf(text, "%hhd %hd %hhu", 300, 70000, 511);
    printf("%d [%s]\n", n, text);
    n = sprintf(text, "%s|%8s|%-8s|%.2s|%c|%3c|%-3c|", "abc", "abc", "abc", "abc", 'x', 'y', 'z');
    printf("%d [%s]\n", n, text);
    n = sprintf(text, "%*d|%-*d|%.*s", 6, 1, 6, 2, 1, "long");
    printf("%d [%s]\n", n, text);
    n = sprintf(text, "%d", -2147483647 - 1);
    printf("%d [%s]\n", n, text);
    n = sprintf(text, "%.0d|%8.3d|%-8.3x|", 0, 5, 255);
    printf("%d [%s]\n", n, text);
    memset(text, '!', sizeof text);
    n = snprintf(text, 6, "%s %d", "four", 12345);
    printf("%d [%s] %c\n", n, text, text[6]);
    n = snprintf(text, 0, "%d", 12345);
    printf("%d %c\n", n, text[0]);
    n = snprintf(text, 1, "x");
    printf("%d [%s]\n", n, text);
    n = through_list(text, sizeof text, "%d-%s-%c", 12, "list", '!');
    printf("%d [%s]\n", n, text);
    return 0;
}
