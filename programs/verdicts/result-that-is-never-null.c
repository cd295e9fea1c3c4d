// A function without a body keeps what it promises of its result.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)

char *given(void) __attribute__((returns_nonnull));

int main(void) {
    CHECK(given() != 0);
    return 0;
}
