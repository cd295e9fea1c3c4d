// How far functions lie apart is open.
void reach_error(void);

void f(void)
{
}

void g(void)
{
}

int main(void)
{
    if ((unsigned long)f + 11 == (unsigned long)g)
        reach_error();
    return 0;
}
