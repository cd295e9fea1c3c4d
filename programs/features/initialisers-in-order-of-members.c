// Initialisers are evaluated in the order of the members, overridden ones not at all, as gcc does it.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)

int calls;

int next(void) { return ++calls; }

struct pair {
    int first, second;
};

int main(void) {
    struct pair pair = {.second = next(), .first = next()};
    CHECK(pair.first == 1 && pair.second == 2);
    calls = 0;
    int row[3] = {[2] = next(), [0] = next(), [0] = next()};
    CHECK(calls == 2 && row[0] == 1 && row[2] == 2);
    struct pair other = {3, 4};
    struct { struct pair pair; } outer = {.pair = other, .pair.second = 5};
    CHECK(outer.pair.first == 0 && outer.pair.second == 5);
    char text[4] = {"abc"};
    struct { char text[4]; } named = {"abc", .text[1] = 'x'};
    CHECK(text[1] == 'b' && named.text[1] == 'x' && named.text[2] == 'c');
    return 0;
}
