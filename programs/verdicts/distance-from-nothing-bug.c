/* A pointer without a value may be null: the distance from it is an address. */
extern void reach_error(void);

static int y = 1;

int main(void)
{
    int *p;
    if (!p) {
        unsigned long distance = (unsigned long)p - (unsigned long)&y;
        *(int *)-distance = 5;
        if (y != 1)
            reach_error();
    }
    return 0;
}
