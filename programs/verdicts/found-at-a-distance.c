// Nobody asks whether the character was found, because it is always there: no distance from null is
// ever taken.
#include <string.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    char line[8] = "a=b;c";
    if (__VERIFIER_nondet_int()) line[1] = ':';
#ifdef BUG
    line[3] = 0;
#endif
    char *end = strchr(line, ';');
    if (end - line != 3) reach_error();
}
