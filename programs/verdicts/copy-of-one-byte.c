/* A copy that is shorter than the cell leaves the rest as it is. */
extern void reach_error(void);
extern void *memcpy(void *, const void *, unsigned);

int x = 0x01010101;

int main(void)
{
    unsigned char byte = 18;
    memcpy(&x, &byte, 1);
#ifdef BUG
    if (x != 0x01010101)
#else
    if (x != 0x01010112)
#endif
        reach_error();
    return 0;
}
