// The compiler computes the absolute value, and calls nobody.
void reach_error(void);
int abs(int number) { return 0; }
int given = -3;

int main(void) {
  if (abs(given) != 0)
    reach_error();
  return 0;
}
