// The distance of a pointer that may be null from an object tells, if it is null, where the object lies.
void reach_error(void);
int __VERIFIER_nondet_int(void);

int a = 1, b = 2;

int main(void)
{
    unsigned long from = __VERIFIER_nondet_int() ? (unsigned long)&a : 0;
    unsigned long distance = from - (unsigned long)&b;
    if (from == 0) {
        *(int *)-distance = 5;
        if (b == 5 && __VERIFIER_nondet_int() * 2654435761u == 12345u)
            reach_error();
    }
    return 0;
}
