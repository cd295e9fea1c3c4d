// A buffer whose size changes in a loop, and a copy whose size depends on inputs: what they leave in memory does not matter to the
// flag.
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
extern void *realloc(void *, unsigned long);
extern void *memcpy(void *, const void *, unsigned long);

int main(void) {
  int flag = 0;
  char *buffer = 0;
  char text[300];
  while (__VERIFIER_nondet_int()) {
    unsigned long size = __VERIFIER_nondet_uint() % 300 + 1;
    buffer = realloc(buffer, size);
    if (!buffer)
      return 0;
    memcpy(buffer, text, size);
    if (flag)
      reach_error();
  }
  return flag;
}
