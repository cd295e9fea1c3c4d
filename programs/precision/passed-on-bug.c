// As passed-on.c, but the last station may be woken by the first one, too.
// must not prove: classes
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int sent, kept;
int first = 0, second = 0, third = 0;
int main(void) {
  while (1) {
    if (first == 0 && second == 0 && third == 0) {
      sent = __VERIFIER_nondet_int();
      kept = sent;
      first = 1;
    }
    if (__VERIFIER_nondet_int() && first == 1) { sent = sent + 1; first = 2; second = 1; if (__VERIFIER_nondet_int()) third = 1; }
    if (__VERIFIER_nondet_int() && second == 1) { sent = sent + 1; second = 2; third = 1; }
    if (__VERIFIER_nondet_int() && third == 1) {
      sent = sent + 1;
      if (sent != kept + 3) reach_error();
      first = 0; second = 0; third = 0;
    }
  }
}
