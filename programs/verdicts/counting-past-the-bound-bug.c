// The only execution takes a billion steps, most of which just count; it fails in the end.
void reach_error(void);

int main(void)
{
    int x = -100000000, y = 300000001;
    while (x < y) {
        x += 2;
        y -= 2;
    }
    if (x % 2 == 0 && x - y != 1)
        reach_error();
    return 0;
}
