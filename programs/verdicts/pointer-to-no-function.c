/* A call through null or a number ends the execution. */
void reach_error(void);
int __VERIFIER_nondet_int(void);

int main(void)
{
    void (*call)(void) = 0;
    if (__VERIFIER_nondet_int())
        call = (void (*)(void))0x1234;
    call();
    reach_error();
    return 0;
}
