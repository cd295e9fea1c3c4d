// Which of two objects has the lower address is not for the verifier to choose.
void reach_error(void);

int main(void)
{
    int a = 1, b = 2;
    int *p = &a, *q = &b;
    if (q < p)
        reach_error();
    return 0;
}
