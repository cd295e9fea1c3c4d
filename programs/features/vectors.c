/* GNU's vectors: operators on all elements, comparisons, subscripts, shuffles, conversions, arguments and results. */
extern void reach_error(void);
#define CHECK(c) ((c) ? (void)0 : reach_error())

typedef int v4 __attribute__((vector_size(16)));
typedef unsigned char b8 __attribute__((vector_size(8)));
typedef float f4 __attribute__((vector_size(16)));

struct holder {
    char tag;
    v4 v;
};

static v4 table = { 1, 2, 3, 4 };

static v4 scaled(v4 v, int by)
{
    return v * by + 1;
}

static int sum(v4 v)
{
    int total = 0;
    for (int i = 0; i < 4; i++)
        total += v[i];
    return total;
}

int main(void)
{
    v4 v = { 1, -2, 3 }, mask;
    b8 bytes = { 255, 1, 2, 3, 4, 5, 6, 7 };
    f4 f = { 0.5f, 1.5f, -2.5f, 4.0f };
    struct holder h = { 'a', { 5, 6, 7, 8 } };
    CHECK(sizeof(v4) == 16 && __alignof__(v4) == 16);
    CHECK(v[0] == 1 && v[1] == -2 && v[3] == 0);
    v += table;
    CHECK(v[0] == 2 && v[1] == 0 && v[2] == 6 && v[3] == 4);
    CHECK(sum(scaled(v, 2)) == 28);
    mask = v > 3;
    CHECK(mask[0] == 0 && mask[1] == 0 && mask[2] == -1 && mask[3] == -1);
    bytes += 1;
    CHECK(bytes[0] == 0 && bytes[7] == 8);
    CHECK((~v)[0] == -3 && (-v)[2] == -6 && (v << 1)[2] == 12 && (v % 4)[2] == 2);
    v[1] = 9;
    v = __builtin_shuffle(v, h.v, (v4){ 7, 1, 0, 4 });
    CHECK(v[0] == 8 && v[1] == 9 && v[2] == 2 && v[3] == 5);
    v = __builtin_convertvector(f, v4);
    CHECK(v[1] == 1 && v[2] == -2 && v[3] == 4);
    CHECK(((v4)f)[0] == 0x3f000000);
    CHECK((f + f)[2] == -5);
    return 0;
}
