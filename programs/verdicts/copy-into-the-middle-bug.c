/* A copy that begins inside of a cell changes it. */
extern void reach_error(void);
extern void *memcpy(void *, const void *, unsigned);

int x = 0x01010101;

int main(void)
{
    unsigned char byte = 18;
    memcpy((char *)&x + 1, &byte, 1);
    if (x != 0x01010101)
        reach_error();
    return 0;
}
