// Feature: #pragma pack, and packed bit-fields whose bytes overlap in more than one access.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)

#pragma pack(push, 1)
struct tight {
    char c;
    int i;
    short s;
};
struct bits {
    signed a:29;
    signed b:30;
    signed c:8;
    signed d:20;
    signed e:19;
    unsigned f:30;
    signed g:4;
    unsigned h:9;
};
#pragma pack(2)
struct half {
    char c;
    int i;
};
#pragma pack(pop)
struct loose {
    char c;
    int i;
};

static struct bits global = { -15662, -10098, -3, 751, 706, 24924, 3, 4 };

int main(void)
{
    struct tight t = { 1, -2, 3 };
    struct bits local = { .b = -1, .e = -5, .h = 511 };
    CHECK(sizeof(struct tight) == 7 && sizeof(struct half) == 6 && sizeof(struct loose) == 8);
    CHECK(sizeof(struct bits) == 19);
    CHECK(*(int *)((char *)&t + 1) == -2 && t.s == 3);
    CHECK(global.a == -15662 && global.b == -10098 && global.c == -3 && global.d == 751);
    CHECK(global.e == 706 && global.f == 24924 && global.g == 3 && global.h == 4);
    CHECK(local.a == 0 && local.b == -1 && local.c == 0 && local.d == 0);
    CHECK(local.e == -5 && local.f == 0 && local.g == 0 && local.h == 511);
    local.d = -7;
    local.b = 77;
    CHECK(local.a == 0 && local.b == 77 && local.c == 0 && local.d == -7 && local.e == -5);
    return 0;
}
