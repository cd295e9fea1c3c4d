// An object may lie at any address.
void reach_error(void);

int main(void)
{
    int x = 1;
    if ((unsigned long)&x == 0x12345670)
        reach_error();
    return 0;
}
