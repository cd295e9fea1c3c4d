// A function with a name of the library's: the compiler knows better than to call it.
void reach_error(void);
long long llabs(long long number);
long long given = -1;

int main(void) {
  if (llabs(given) != 1)
    reach_error();
  return 0;
}

long long llabs(long long number) { return 0 * number; }
