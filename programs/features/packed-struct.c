// Feature: packed struct.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
struct __attribute__((packed)) s {
    char c;
    int i;
    short h;
};

int main(void)
{
    CHECK(sizeof(struct s) == 7);
    struct s x = { 1, 0x11223344, 5 };
    CHECK(x.i == 0x11223344 && x.h == 5);
    return 0;
}
