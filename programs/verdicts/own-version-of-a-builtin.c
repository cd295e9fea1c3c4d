// The program's own version does what the library's does: it makes no difference which one is called.
void reach_error(void);
int abs(int number) { return number < 0 ? -number : number; }
int given = -3;

int main(void) {
  if (abs(given) != 3)
    reach_error();
  return 0;
}
