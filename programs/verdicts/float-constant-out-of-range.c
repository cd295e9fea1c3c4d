// The compiler converts constants that no integer is near enough to the nearest one.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)

static const int initial = (int)3e9;

int main(void) {
  CHECK((int)2147483648.0f == 2147483647 && initial == 2147483647);
  CHECK((unsigned)-1.0 == 0 && (unsigned char)300.7 == 255);
  CHECK((long long)-1e30 == -9223372036854775807LL - 1);
  return 0;
}
