// Feature: builtins.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    CHECK(__builtin_popcount(255) == 8 && __builtin_clz(1) == 31 && __builtin_ctz(8) == 3
          && __builtin_bswap32(0x01020304) == 0x04030201);
    int r;
    CHECK(__builtin_add_overflow(2147483647, 1, &r));
    CHECK(!__builtin_mul_overflow(1000, 1000, &r) && r == 1000000);
    return 0;
}
