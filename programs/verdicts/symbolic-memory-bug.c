// The bytes become any bytes, whatever was there.
void reach_error(void);
void klee_make_symbolic(void *, unsigned long, const char *);
int main(void)
{
    int values[2] = {1, 1};
    klee_make_symbolic(values, sizeof values, "values");
    if (values[1] != 1)
        reach_error();
    return 0;
}
