// Nobody has declared assert: it is an assertion all the same.
int nondet_int();
int main(void)
{
    int x = nondet_int();
    assert(x != 42);
    return 0;
}
