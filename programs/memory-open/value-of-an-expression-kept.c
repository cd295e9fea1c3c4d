/* An array in the value of a call is gone when the expression is. */
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
  int *number = make().numbers;
  return *number;
}
