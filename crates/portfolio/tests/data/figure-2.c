extern unsigned int nondet(void);
int main() {
  unsigned int n = nondet();
  unsigned int x = n, y = 0;
  while (x > 0) {
    x--;
    y++;
  }
  // Safety property
  if (!(n == y)) {
  Error:
    return 1;
  }
  return 0;
}
