/* A server that agrees on a key: a client may ask to begin again a few times. */
int nondet(void);
void reach_error(void);

int main(void) {
    int state = 8464, again = 0, got_hello = 0, got_key = 0, cleared = 1;
    int want_certificate = nondet();
    while (1) {
        int result = nondet();
        switch (state) {
        case 8464: if (result <= 0) return 1; got_hello = 1; state = 8496; break;
        case 8496: state = nondet() ? 8512 : 8528; break;
        case 8512: if (result <= 0) return 1; state = 8528; break;
        case 8528: if (want_certificate) state = 8544; else state = 8560; break;
        case 8544: if (result <= 0) return 1; state = 8560; break;
        case 8560: if (!got_hello) reach_error(); state = 8576; break;
        case 8576: if (result <= 0) return 1; got_key = 1; cleared = 0; state = 8592; break;
        case 8592: if (want_certificate && result < 0) return 1; state = 8608; break;
        case 8608: if (!got_key) reach_error(); state = 8640; break;
        case 8640:
            if (nondet() && again < 3) { again = again + 1; got_hello = 0; got_key = 0; cleared = 1; state = 8464; }
            else state = 8656;
            break;
#ifdef BUG
        case 8656: if (cleared == 0) reach_error(); state = 3; break;
#else
        case 8656: if (cleared) reach_error(); state = 3; break;
#endif
        case 3: return 0;
        default: reach_error();
        }
    }
}
