// A word that was read is not empty and has no blank in it; two digits are less than a hundred.
#include <assert.h>
#include <stdio.h>

int main(void) {
    char word[3];
    int number;
    if (scanf("%2s%2d", word, &number) == 2)
        assert(word[0] != 0 && word[1] != ' ' && number < 100);
    return 0;
}
