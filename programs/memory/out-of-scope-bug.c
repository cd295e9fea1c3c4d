/* A pointer to a variable of a block that was left. */
int main(void)
{
    int *p;
    {
        int x = 1;
        p = &x;
    }
    return *p;
}
