/* A pointer that is copied as a whole points where it did. */
extern void reach_error(void);
void *memcpy(void *, const void *, unsigned long);

struct pair {
    int *first, *second;
};
static int x, y;

int main(void)
{
    struct pair a = {&x, &y}, b;
    memcpy(&b, &a, sizeof b);
    *b.first = 1;
    *b.second = 2;
    if (x != 1 || y != 2)
        reach_error();
    return 0;
}
