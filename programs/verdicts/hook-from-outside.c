/* What a function outside the program returns is any value; what it cannot reach stays. */
void reach_error(void);
struct operations { int (*open)(int); void (*close)(void); };
extern struct operations *find(void);

int main(void)
{
    int kept = 5;
    struct operations *found = find();
    if (!found)
        return 0;
    unsigned char got = found->open(1);
    found->close();
    if (got > 255 || kept != 5)
        reach_error();
    return 0;
}
