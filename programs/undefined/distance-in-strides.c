// Two objects need not lie apart by a multiple of their size: then the first member of one is the second of the other.
void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

struct pair {
    int a, b;
};

int main(void)
{
    struct pair x = {1, 2};
    int between[1] = {3};
    struct pair y = {4, 5};
    unsigned n = __VERIFIER_nondet_uint() & 1;
    struct pair *first = n ? &x : &y, *second = n ? &y : &x;
    first->a = between[0];
    long distance = (long)((unsigned long)&second->b - (unsigned long)first);
    if (distance % 8 == 0) {
        struct pair *moved = (struct pair *)((unsigned long)first + distance / 8 * 8);
        second->b = 1;
        moved->a = 99;
        if (second->b == 99)
            reach_error();
    }
    return 0;
}
