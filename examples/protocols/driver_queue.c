/* Requests of a queue under a lock that is taken and given back in turn. */
int nondet(void);
void reach_error(void);

static int locked, count;
static void take(void) { if (locked) reach_error(); locked = 1; }
static void give(void) { if (!locked) reach_error(); locked = 0; }
int main(void) {
    int old, request, stopped = 0;
    count = 0;
    do {
        take();
        old = count;
        request = nondet();
        if (request && !stopped) {
            give();
            if (nondet()) stopped = 1;
            count = count + 1;
        }
    } while (count != old);
    give();
    if (locked) reach_error();
    return 0;
}
