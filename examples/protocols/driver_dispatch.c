/* A driver passes a request on, waits for it or completes it, each at most once. */
int nondet(void);
void reach_error(void);

enum { NEW, SKIPPED, COPIED, PASSED, PENDING, COMPLETED };
static int request = NEW, status, has_routine, held;

static void complete(void) { if (request == COMPLETED) reach_error(); request = COMPLETED; held = 0; }
static void skip(void) { if (request != NEW) reach_error(); request = SKIPPED; }
static void copy(void) { if (request != NEW) reach_error(); request = COPIED; }
static void set_routine(void) { if (request != COPIED) reach_error(); has_routine = 1; }
static int call_lower(void) {
    if (request == COMPLETED || request == PASSED) reach_error();
    request = PASSED;
    if (has_routine) { status = 259; if (nondet()) request = PENDING; return 259; }
    status = nondet() ? 0 : -1;
    return status;
}
static int power(void) {
    if (nondet()) { skip(); return call_lower(); }
    copy(); set_routine();
    return call_lower();
}
static int start(void) {
    int result;
    copy(); set_routine(); held = 1;
    result = call_lower();
    if (result == 259) { while (nondet()) { } request = COPIED; result = nondet(); }
    if (result < 0) { status = result; complete(); return result; }
#ifdef BUG
    status = 0; if (nondet()) complete();
#else
    status = 0; complete();
#endif
    return 0;
}
static int control(void) {
    int code = nondet();
    if (code == 1 || code == 2) { status = -1; complete(); return -1; }
    if (code == 3) { held = 1; complete(); status = 0; return 0; }
    skip();
    return call_lower();
}
int main(void) {
    int kind = nondet(), result = 0;
    if (kind == 0) result = power();
    else if (kind == 1) result = start();
    else if (kind == 2) result = control();
    else { status = -2; complete(); result = -2; }
    if (kind == 1 && result >= 0 && request != COMPLETED) reach_error();
    if (request == COMPLETED && held) reach_error();
    return 0;
}
