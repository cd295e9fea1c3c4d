/* A compiler may take the comparison for true without the addition, which overflows all the same. */
extern int input(void);

int main(void)
{
    int x = input();
    return x + 1 > x;
}
