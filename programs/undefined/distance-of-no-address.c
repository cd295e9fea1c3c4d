// A number that is no address stands for "not found", and it is not null: its distance from an array
// depends on where that lies.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static char *pick(char *from) {
    if (__VERIFIER_nondet_int()) return from + 1;
    return (char *)-1;
}
int main(void) {
    char pad, a[3];
    char *found = pick(a);
    if (found) {
        long distance = found - a;
        if (distance != 1 && (distance & 1) == 0) reach_error();
    }
    return pad != 0;
}
