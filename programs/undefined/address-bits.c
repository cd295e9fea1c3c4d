// A char need not lie at a multiple of sixteen.
void reach_error(void);

int main(void)
{
    char c = 1;
    unsigned long bits = (unsigned long)&c;
    if (bits & 8)
        reach_error();
    return 0;
}
