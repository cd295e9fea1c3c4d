// Atomic operations of one thread, in all their spellings.
#include <stdatomic.h>
void reach_error(void);
static void check(int condition)
{
    if (!condition)
        reach_error();
}
static _Atomic int counter = ATOMIC_VAR_INIT(3);
static atomic_flag flag = ATOMIC_FLAG_INIT;
struct pair { short a, b; };
int main(void)
{
    int x = 5, y = 7, z, expected;
    __atomic_load(&x, &z, __ATOMIC_SEQ_CST);
    check(z == 5);
    __atomic_store(&x, &y, __ATOMIC_SEQ_CST);
    check(x == 7);
    y = 9;
    __atomic_exchange(&x, &y, &z, __ATOMIC_SEQ_CST);
    check(x == 9 && y == 9 && z == 7);
    expected = 1, y = 11;
    check(!__atomic_compare_exchange(&x, &expected, &y, 0, 5, 5) && expected == 9 && x == 9);
    check(__atomic_compare_exchange(&x, &expected, &y, 1, 5, 5) && x == 11 && expected == 9);
    expected = 0;
    check(!__atomic_compare_exchange_n(&x, &expected, 12, 0, 5, 5) && expected == 11 && x == 11);
    check(__atomic_fetch_nand(&x, 3, 5) == 11 && x == ~3);
    x = 6;
    check(__sync_nand_and_fetch(&x, 3) == ~2 && x == ~2);
    x = 6;
    check(__atomic_fetch_sub(&x, 2, 5) == 6 && __atomic_sub_fetch(&x, 1, 5) == 3);
    check(__sync_val_compare_and_swap(&x, 3, 4) == 3 && !__sync_bool_compare_and_swap(&x, 3, 5));
    char set = 0;
    check(!__atomic_test_and_set(&set, 5) && __atomic_test_and_set(&set, 5));
    __atomic_clear(&set, 5);
    check(set == 0);
    struct pair from = {1, 2}, to;
    __atomic_load(&from, &to, 5);
    check(to.a == 1 && to.b == 2);

    check(atomic_fetch_add(&counter, 4) == 3 && atomic_load(&counter) == 7);
    atomic_store(&counter, 1);
    counter += 2;
    counter++;
    expected = 5;
    check(!atomic_compare_exchange_strong(&counter, &expected, 6) && expected == 4);
    check(atomic_compare_exchange_strong(&counter, &expected, 6) && counter == 6);
    check(atomic_exchange(&counter, 8) == 6);
    check(atomic_fetch_or(&counter, 1) == 8 && atomic_fetch_xor(&counter, 3) == 9);
    check(!atomic_flag_test_and_set(&flag) && atomic_flag_test_and_set(&flag));
    atomic_flag_clear(&flag);
    check(!atomic_flag_test_and_set(&flag));
    return 0;
}
