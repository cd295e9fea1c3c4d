// The only execution is long; it ends well.
void reach_error(void);

int main(void)
{
    unsigned steps = 0, x = 1;
    while (x != 0 && steps < 3000000) {
        x = x * 1103515245u + 12345u;
        steps++;
    }
    if (steps != 3000000 && x != 0)
        reach_error();
    return 0;
}
