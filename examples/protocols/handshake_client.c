/* A client that agrees on a key: states in order, with a detour for sending what is buffered. */
int nondet(void);
void reach_error(void);

int main(void) {
    int state = 0x1000, next = 0, step = 0, hit = nondet(), cipher = nondet();
    while (1) {
        int result = nondet();
        if (state == 0x1000) { state = 0x1010; step = 0; }
        else if (state == 0x1010) { if (result <= 0) return 1; if (step == 0) step = 1; state = 0x1020; next = 0x1030; }
        else if (state == 0x1020) { if (nondet() > 0) state = next; }
        else if (state == 0x1030) {
            if (result <= 0) return 1;
            if (step == 1) step = 2;
            state = hit ? 0x1090 : 0x1040;
        }
        else if (state == 0x1040) { if (cipher & 4) { state = 0x1050; } else { if (result <= 0) return 1; state = 0x1050; } }
        else if (state == 0x1050) { if (result <= 0) return 1; if (step == 2) step = 3; state = 0x1060; }
        else if (state == 0x1060) { if (nondet()) { state = 0x1070; } else { state = 0x1080; } }
        else if (state == 0x1070) { if (result <= 0) return 1; state = 0x1080; next = 0x1090; }
        else if (state == 0x1080) {
            if (step == 3) step = 4;
            next = hit ? 0x10b0 : 0x1090;
            state = 0x1020;
        }
        else if (state == 0x1090) {
#ifdef BUG
            if (hit) { if (step == 2) reach_error(); state = 0x1080; }
#else
            if (hit) { if (step == 3) reach_error(); state = 0x1080; }
#endif
            else state = 0x10a0;
        }
        else if (state == 0x10a0) { if (step != 4) reach_error(); state = 0x10b0; }
        else if (state == 0x10b0) { return 0; }
        else return 1;
    }
}
