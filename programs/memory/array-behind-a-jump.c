/* An array of variable length ends where a jump leads to before its declaration. */
int main(void)
{
    int n = 0, result = 0, *last = 0;
again:;
    if (n == 2)
        return result;
    int array[n + 1];
    array[n] = n;
    last = &array[n];
    result += *last;
    n++;
    goto again;
}
