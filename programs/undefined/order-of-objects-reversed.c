// As order-of-objects.c, the other way round: one of the two would follow from any placement.
void reach_error(void);

int main(void)
{
    int a = 1, b = 2;
    int *p = &a, *q = &b;
    if (p < q)
        reach_error();
    return 0;
}
