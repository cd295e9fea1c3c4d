// An array in the value of a call is read while the expression is evaluated.
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
  int sum = make().numbers[0] + make().numbers[2];
  return sum == 4;
}
