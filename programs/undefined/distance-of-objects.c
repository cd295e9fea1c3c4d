// How far two objects lie apart is open.
void reach_error(void);

int main(void)
{
    int a = 1, b = 2;
    long distance = (char *)&a - (char *)&b;
    if (distance == 4 || distance == -4)
        reach_error();
    return 0;
}
