/* A text is a literal or one from outside the program, which is any text. */
extern int __VERIFIER_nondet_int(void);
void reach_error(void);
const char *text(void);

int main(void)
{
    const char *other = text(), *chosen = "abc";
    if (__VERIFIER_nondet_int())
        chosen = other;
    if (!chosen)
        return 0;
#ifndef BUG
    if (chosen == other)
        return 0;
#endif
    if (*chosen == 'x')
        reach_error();
    return 0;
}
