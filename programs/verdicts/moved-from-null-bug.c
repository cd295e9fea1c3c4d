// What may be null or a pointer is moved by a number that an address was computed to be.
void reach_error(void);
int __VERIFIER_nondet_int(void);

int a = 1, b = 2;

int main(void)
{
    unsigned long tripled = (unsigned long)&b * 3;
    unsigned long number = tripled / 3;
    unsigned long from = __VERIFIER_nondet_int() ? (unsigned long)&a : 0;
    unsigned long address = from + number;
    if (from == 0) {
        *(int *)address = 5;
        if (b == 5 && __VERIFIER_nondet_int() * 2654435761u == 12345u)
            reach_error();
    }
    return 0;
}
