// An array in the value of a call is read while the expression is evaluated. With KEPT, a pointer to it is used afterwards.
struct record {
  int numbers[3];
};
struct record make(void)
{
  struct record record = {{1, 2, 3}};
  return record;
}
int main(void)
{
#ifdef KEPT
  int *number = make().numbers;
  return *number;
#else
  int sum = make().numbers[0] + make().numbers[2];
  return sum == 4;
#endif
}
