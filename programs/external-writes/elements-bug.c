/* A pointer to the first element reaches the others. */
void reach_error(void);
void fill(int *p);

int main(void)
{
    int a[4] = {0};
    fill(a);
    if (a[3])
        reach_error();
    return 0;
}
