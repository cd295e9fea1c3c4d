/* A loop that writes one element behind its array. */
int main(void)
{
    int a[10];
    for (int i = 0; i <= 10; i++)
        a[i] = i;
    return 0;
}
