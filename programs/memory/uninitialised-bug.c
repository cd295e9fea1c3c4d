/* A pointer without a value is followed. */
int main(void)
{
    int *p;
    return *p;
}
