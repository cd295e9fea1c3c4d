/* A device is added, started, stopped and removed; a lock counts who uses it. */
int nondet(void);
void reach_error(void);

enum { ABSENT, ADDED, STARTED, STOPPED, REMOVED };
static int device = ABSENT, users, queue_open;
static int acquire(void) { if (device == REMOVED) return 0; users = users + 1; return 1; }
static void release(void) { if (users <= 0) reach_error(); users = users - 1; }
static void add(void) { if (device == ABSENT) { device = ADDED; users = 0; queue_open = 0; } }
static void start(void) { if (device == ADDED || device == STOPPED) { device = STARTED; queue_open = 1; } }
static void stop(void) { if (device == STARTED) { queue_open = 0; device = STOPPED; } }
#ifdef BUG
static void take_away(void) { if (nondet()) { device = REMOVED; return; } queue_open = 0; if (device != ABSENT) device = REMOVED; }
#else
static void take_away(void) {  queue_open = 0; if (device != ABSENT) device = REMOVED; }
#endif
int main(void) {
    int command;
    while (device != REMOVED) {
        command = nondet();
        if (!acquire()) break;
        if (command == 1) add();
        else if (command == 2) start();
        else if (command == 3) stop();
        else if (command == 4) take_away();
        if (queue_open && device != STARTED) reach_error();
        if (device == ADDED && command == 1) { if (users != 0 && users != 1) reach_error(); }
        else release();
        if (device == ADDED) users = 0;
    }
    if (queue_open) reach_error();
    return 0;
}
