// gcc evaluates initialisers in the order of the members.
#include <assert.h>

int calls;

int next(void) { return ++calls; }

int main(void) {
    struct { int first, second; } pair = {.second = next(), .first = next()};
    assert(pair.second == 1);
    return 0;
}
