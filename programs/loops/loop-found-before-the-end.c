// That the inner loop runs to its end refutes every single path, and counting through its iterations proves nothing.
// What proves it: what was found lies before the counter.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int wanted = __VERIFIER_nondet_int();
    int a = 0, b = 0;
    while (__VERIFIER_nondet_int()) {
        int found = 0, c;
        for (c = 0; c < 100000; c++)
            if (c == wanted)
                found = 1;
        a += 2;
        b += 2;
        if (found && c == wanted)
            a++;
        if (a != b || c != 100000)
            reach_error();
    }
    return 0;
}
