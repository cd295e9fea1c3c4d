/* Without a prototype everything is passed. */
void reach_error(void);
void collect();

int main(void)
{
    int x = 1;
    collect(&x);
    if (x != 1)
        reach_error();
    return 0;
}
