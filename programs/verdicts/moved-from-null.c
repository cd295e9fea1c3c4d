// Null and an array are moved by the same numbers: inside of the array nothing else is written.
void reach_error(void);
int __VERIFIER_nondet_int(void);

int cells[4], other = 2;

int main(void)
{
    int *from = __VERIFIER_nondet_int() ? cells : 0;
    int index = __VERIFIER_nondet_int();
    if (index < 0 || index > 3)
        return 0;
    int *at = from + index;
    if (from) {
        *at = 5;
        if (other != 2 || cells[index] != 5)
            reach_error();
    }
    return 0;
}
