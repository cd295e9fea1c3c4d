/* A pointer runs over the end of an array. */
int main(void)
{
    char a[4];
    for (char *p = a; p <= a + 4; p++)
        *p = 1;
    return 0;
}
