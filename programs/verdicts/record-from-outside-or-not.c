/* A record from outside holds any pointer, until one of the program is put there. */
extern int __VERIFIER_nondet_int(void);
void reach_error(void);
struct text {
    const char *start;
    int length;
};
struct text any(void);

int main(void)
{
    struct text text = any();
    int is_ours = __VERIFIER_nondet_int();
    if (is_ours)
        text.start = "abc";
#ifndef BUG
    if (!is_ours)
        return 0;
#endif
    if (text.start && *text.start == 'x')
        reach_error();
    return 0;
}
