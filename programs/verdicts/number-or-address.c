/* A number from outside may be the address of memory there, whatever else the pointer may be. */
extern int __VERIFIER_nondet_int(void);
void reach_error(void);
unsigned long handle(void);

int main(void)
{
    char word[4] = "abc";
    unsigned long number = handle();
    int is_ours = __VERIFIER_nondet_int();
    char *p = is_ours ? word : (char *)number;
    char *q = (char *)number;
    *q = 'y';
#ifndef BUG
    if (!is_ours)
        return 0;
#endif
    if (p[0] == 'y')
        reach_error();
    return 0;
}
