// sizeof evaluates an operand whose type has a variable size: i is 1 behind it.
extern void reach_error(void);

int main(void)
{
    int n = 3, i = 0;
    int table[n][n + 1];
    (void)sizeof(table[i++]);
    if (i != 0)
        reach_error();
    return 0;
}
