// Only the functions that a pointer gets are called through it, also where types of others do not fit.
extern void reach_error(void);

struct device {
    int (*open)(struct device *);
    int (*read)(struct device *, int);
    int opened;
};

static int open_it(struct device *it)
{
    it->opened = 1;
    return 0;
}

static int read_it(struct device *it, int n)
{
    if (!it->opened)
        reach_error();
    return n;
}

static double unrelated(double a, struct device b)
{
    reach_error();
    return a + b.opened;
}

double (*volatile kept)(double, struct device) = unrelated;
void *table[1] = {(void *)unrelated};

int main(void)
{
    struct device it = {open_it, read_it, 0};
    struct device *behind = &it;
    if (behind->open(behind) == 0)
        behind->read(behind, 3);
    return 0;
}
