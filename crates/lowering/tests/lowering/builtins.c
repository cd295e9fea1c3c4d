/* The compiler's own functions. */
#include <stdio.h>
int main(void) {
    int r; unsigned u; long long ll; unsigned char uc;
    int lost = __builtin_add_overflow(2147483647, 1, &r);
    printf("%d %d\n", lost, r);
    lost = __builtin_sub_overflow(1u, 2u, &u);
    printf("%d %u\n", lost, u);
    lost = __builtin_mul_overflow(1LL << 40, 1LL << 40, &ll);
    printf("%d %lld\n", lost, ll);
    lost = __builtin_add_overflow(200, 100, &uc);
    printf("%d %d\n", lost, uc);
    lost = __builtin_add_overflow(-1, 1u, &r);
    printf("%d %d\n", lost, r);
    lost = __builtin_sub_overflow(3, 5, &u);
    printf("%d %u\n", lost, u);
    lost = __builtin_mul_overflow(-1, 4000000000u, &ll);
    printf("%d %lld\n", lost, ll);
    lost = __builtin_add_overflow(18446744073709551615ULL, -1, &ll);
    printf("%d %lld\n", lost, ll);
    printf("%d %d %d %d\n", __builtin_clz(1), __builtin_ctz(8), __builtin_popcount(255), __builtin_parity(7));
    printf("%d %d %d\n", __builtin_ffs(0), __builtin_ffs(24), __builtin_clrsb(-1));
    printf("%d %d\n", __builtin_clzll(1), __builtin_popcountll(~0ULL));
    printf("%x %x %llx\n", __builtin_bswap16(0x1234), __builtin_bswap32(0x12345678), (unsigned long long)__builtin_bswap64(1));
    printf("%d %d\n", __builtin_expect(5, 0), __builtin_constant_p(3));
    printf("%d %d\n", __builtin_isnan(__builtin_nan("")), __builtin_isinf_sign(-__builtin_inf()));
    printf("%d\n", __builtin_types_compatible_p(int, long));
    int s = 5;
    printf("%d\n", __sync_fetch_and_add(&s, 3));
    printf("%d\n", s);
    printf("%d\n", __sync_bool_compare_and_swap(&s, 8, 1));
    printf("%d\n", __sync_val_compare_and_swap(&s, 2, 9));
    printf("%d\n", (int)__sync_lock_test_and_set(&s, 4));
    printf("%d %d\n", __sync_or_and_fetch(&s, 3), __sync_sub_and_fetch(&s, 100));
    __sync_synchronize();
    if (s > 100) __builtin_unreachable();
    printf("%d\n", __builtin_isgreater(2.0, 1.0) + __builtin_isunordered(1.0, 2.0));
    return (int)__builtin_object_size(&s, 0) == 4 || 1;
}
