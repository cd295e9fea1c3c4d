/* A pointer to a variable of a block that is entered again. */
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int x = i, *p = &x;
        sum += *p;
    }
    return sum - 3;
}
