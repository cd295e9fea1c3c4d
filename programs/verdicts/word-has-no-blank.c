// A word that was read has no white space in it; two digits are less than a hundred.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <stdio.h>

int main(void) {
    char word[3];
    int number;
    if (scanf("%2s%2d", word, &number) == 2)
        CHECK(word[0] != ' ' && word[1] != '\n' && number < 100);
    return 0;
}
