// An array in the value of an expression is not that of the variable which the value was read from.
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

struct record {
  int numbers[3];
} first = {{1, 2, 3}}, second = {{4, 5, 6}};

static int changed(const int *numbers)
{
  first.numbers[0] = 7;
  return numbers[0];
}

int main(void)
{
  unsigned input = __VERIFIER_nondet_uint();
#ifdef BUG
  if (changed((input ? first : second).numbers) == 1)
#else
  if (changed((input ? first : second).numbers) == 7)
#endif
    reach_error();
}
