// Stations pass an unknown number on, each one more: no value is ever known, but how far two of them are apart is. In
// which order the stations wake up is free.
// must prove: classes
// must not prove: eva-basic
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
#ifndef ALSO_WAKES
#define ALSO_WAKES
#endif
int sent, kept;
int first = 0, second = 0, third = 0;
int main(void) {
  while (1) {
    if (first == 0 && second == 0 && third == 0) {
      sent = __VERIFIER_nondet_int();
      kept = sent;
      first = 1;
    }
    if (__VERIFIER_nondet_int() && first == 1) { sent = sent + 1; first = 2; second = 1; ALSO_WAKES }
    if (__VERIFIER_nondet_int() && second == 1) { sent = sent + 1; second = 2; third = 1; }
    if (__VERIFIER_nondet_int() && third == 1) {
      sent = sent + 1;
      if (sent != kept + 3) reach_error();
      first = 0; second = 0; third = 0;
    }
  }
}
