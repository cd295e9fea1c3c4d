// gcc evaluates initialisers in the order of the members.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)

int calls;

int next(void) { return ++calls; }

int main(void) {
    struct { int first, second; } pair = {.second = next(), .first = next()};
    CHECK(pair.second == 1);
    return 0;
}
