// Feature: strings.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <string.h>
int main(void)
{
    char b[20];
    strcpy(b, "foo");
    strcat(b, "bar");
    CHECK(strlen(b) == 6 && strcmp(b, "foobar") == 0 && strncmp(b, "foz", 2) == 0
          && strchr(b, 98) == b + 3);
    return 0;
}
