// The compiler converts a constant beyond the integers to the largest one.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)

int main(void) {
  CHECK((int)2147483648.0f < 0);
  return 0;
}
