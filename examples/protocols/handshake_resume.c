/* A session that is resumed: what was agreed on is kept in bits. */
int nondet(void);
void reach_error(void);

enum { HELLO = 1, CIPHER = 2, KEY = 4, DONE = 8 };
int main(void) {
    unsigned have = 0;
    int state = 100, old = nondet(), left = 5;
    while (left > 0) {
        left = left - 1;
        if (state == 100) { have = have | HELLO; state = old ? 120 : 110; }
        else if (state == 110) { have = have | CIPHER; state = 120; }
        else if (state == 120) { if (old) have = have | CIPHER; have = have | KEY; state = 130; }
        else if (state == 130) { if (!(have & CIPHER)) reach_error(); have = have | DONE; state = 140; }
        else if (state == 140) { if ((have & DONE) && !(have & KEY)) reach_error(); return 0; }
        else reach_error();
    }
    return 0;
}
