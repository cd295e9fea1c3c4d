/* Output and character classes. */
#include <ctype.h>
#include <stdio.h>
int main(void) {
    puts("line");
    putchar('x'); putchar('\n');
    fprintf(stdout, "%5d|%-5d|%05d|%+d|%x|%X|%#o|%c|%%|%s\n", 42, 42, 42, 42, 255, 255, 8, 'c', "str");
    fputs("text", stdout); fputc('\n', stdout); putc('y', stdout);
    fprintf(stderr, "not shown\n");
    int n = printf("%s\n", "count");
    printf("%d %hhd %hd %ld %lld %zu\n", n, 300, 70000, -1L, -1LL, sizeof(int));
    printf("%*d|%.*f|%.3s|%10.2e\n", 6, 7, 2, 3.14159, "abcdef", 12345.678);
    int k = 0;
    for (int c = 0; c < 128; c++)
        k = k * 31 + (!!isalpha(c) | !!isdigit(c) << 1 | !!isspace(c) << 2 | !!isupper(c) << 3 | !!ispunct(c) << 4 | !!isxdigit(c) << 5
            | !!iscntrl(c) << 6 | !!isprint(c) << 7) + toupper(c) * 3 + tolower(c);
    printf("%d\n", k);
    return putchar('z') == 'z';
}
