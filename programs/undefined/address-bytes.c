// The bytes of a pointer, read one by one.
void reach_error(void);

int main(void)
{
    int x = 1;
    int *p = &x;
    unsigned char *bytes = (unsigned char *)&p;
    unsigned sum = 0;
    for (unsigned i = 0; i < sizeof p; i++)
        sum += bytes[i];
    if (sum == 17)
        reach_error();
    return 0;
}
